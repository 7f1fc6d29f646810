"""Serves the product's MCP server with the fixtures of the conformance suite added, on a loopback port.

`python -m tests.mcp_door.conformance.fixture_server` builds the server as the product does (same gate, same builder,
same transport) and adds tools, resources and prompts by the names that the suite asks for.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

import mcp_types as types

from app.cli.principal import local_principal
from app.mcp_server.added_parts import AddedParts
from app.mcp_server.assembly import open_door
from app.mcp_server.transports import MCP_PATH, http_app, serve_http
from app.system.contract_files import samples_dir
from app.system.settings import Settings
from app.wiring.gate import open_gate
from app.wiring.key_guard import KeyGuard

__all__ = ["FIXTURES"]

# One red pixel, and a wave file without a sample.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
ANYTHING = {"type": "object", "properties": {}}
SCHEMA_2020_12 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
HEADERS = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "priority": {"type": "string", "x-mcp-header": "Priority"},
    },
}


def _text(text):
    return types.TextContent(text=text)


def _picture():
    return types.ImageContent(data=PNG, mime_type="image/png")


def _embedded(uri, mime_type, text):
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=text))


def _fixed(*content, is_error=False):
    async def call(ctx, arguments):
        return types.CallToolResult(content=list(content), is_error=is_error)

    return call


async def _slow(ctx, arguments):
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100)
        await asyncio.sleep(0.05)
    return types.CallToolResult(content=[_text("three notes of progress were sent")])


CODE = {
    "test_simple_text": _fixed(_text("This is a simple text response for testing.")),
    "test_image_content": _fixed(_picture()),
    "test_audio_content": _fixed(types.AudioContent(data=WAV, mime_type="audio/wav")),
    "test_embedded_resource": _fixed(
        _embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ),
    "test_multiple_content_types": _fixed(
        _text("Multiple content types test:"),
        _picture(),
        _embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
    "test_error_handling": _fixed(_text("This tool intentionally returns an error for testing"), is_error=True),
    "test_tool_with_progress": _slow,
    "json_schema_2020_12_tool": _fixed(_text("ok")),
    "test_custom_headers": _fixed(_text("ok")),
}
SCHEMAS = {"json_schema_2020_12_tool": SCHEMA_2020_12, "test_custom_headers": HEADERS}
TEMPLATE = "test://template/"


def _read(uri):
    if uri == "test://static-text":
        text = "This is the content of the static text resource."
        return types.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    if uri == "test://static-binary":
        return types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
    if uri.startswith(TEMPLATE):
        number = uri.removeprefix(TEMPLATE).partition("/")[0]
        text = f'{{"id":"{number}","templateTest":true,"data":"Data for ID: {number}"}}'
        return types.TextResourceContents(uri=uri, mime_type="application/json", text=text)
    return None


def _said(*content):
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=one) for one in content])


PROMPTS = {
    "test_simple_prompt": lambda given: _said(_text("This is a simple prompt for testing.")),
    "test_prompt_with_arguments": lambda given: _said(
        _text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")
    ),
    "test_prompt_with_embedded_resource": lambda given: _said(
        _embedded(given.get("resourceUri", "test://example-resource"), "text/plain", "Embedded resource content."),
        _text("Please process the embedded resource above."),
    ),
    "test_prompt_with_image": lambda given: _said(_picture(), _text("Please analyze the image above.")),
}
ARGUMENTS = {
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
}
FIXTURES = AddedParts(
    tools=tuple(
        types.Tool(name=name, description="A fixture of the suite.", input_schema=SCHEMAS.get(name, ANYTHING))
        for name in CODE
    ),
    tool_code=CODE,
    resources=tuple(types.Resource(uri=f"test://static-{kind}", name=f"static-{kind}") for kind in ("text", "binary")),
    templates=(types.ResourceTemplate(uri_template="test://template/{id}/data", name="template"),),
    read=_read,
    prompts=tuple(
        types.Prompt(
            name=name,
            description="A fixture of the suite.",
            arguments=[types.PromptArgument(name=word, required=True) for word in ARGUMENTS.get(name, ())],
        )
        for name in PROMPTS
    ),
    prompt_code=PROMPTS,
)


async def main():
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder))
        local = local_principal("PRO")
        async with open_gate(samples_dir(), settings=settings) as router:
            guard = KeyGuard(settings)
            app = http_app(open_door(router, settings, local, FIXTURES), guard, local, "127.0.0.1")
            try:
                await serve_http(
                    app,
                    "127.0.0.1",
                    0,
                    lambda port: print(
                        f"serving MCP on http://127.0.0.1:{port}{MCP_PATH}", file=sys.stderr, flush=True
                    ),
                )
            finally:
                guard.close()


if __name__ == "__main__":
    asyncio.run(main())
