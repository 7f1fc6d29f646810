"""Every tool, called with valid arguments over a small web: something is found, and the answer fits its schema."""

from __future__ import annotations

import jsonschema

from app.capabilities.registry import CAPABILITIES
from tests.mcp_door.serving import WORLD, stdio_client


async def test_the_answer_of_every_tool_fits_its_published_schema(tmp_path):
    assert [name for name, one in CAPABILITIES.items() if one.example is None] == []
    async with stdio_client(tmp_path, program=WORLD) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for name, one in CAPABILITIES.items():
            call = one.example
            assert tools[name].input_schema["examples"] == [call.arguments]
            jsonschema.validate(call.arguments, tools[name].input_schema)
            told = await client.call_tool(name, call.arguments)
            assert not told.is_error, (name, told.content[0].text)
            judge = jsonschema.Draft202012Validator(tools[name].output_schema)
            assert [fault.message for fault in judge.iter_errors(told.structured_content)] == [], name
            assert told.structured_content[call.finds], name
            assert not judge.is_valid({"surprise": 1}), name
            assert f"{call.finds}:" in told.content[0].text, name
