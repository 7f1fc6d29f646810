"""One process that asks our documents and Acme's orders, and looks back at what it asked."""

import asyncio
import json
import sys
from pathlib import Path

from portcullis import Answer, Failure, Principal, Settings, open_archive, open_gate

from .orders import ORDER, OrderOutput, OrderTool

ASKED = {"question": "How long should sourdough proof in the fridge?"}


def told_of(answer: Answer) -> str:
    match answer.result:
        case Failure() as failure:
            return failure.error.kind
        case OrderOutput() as order:
            return order.text
        case other:
            return str(len(other.model_dump()["passages"]))


async def ask(settings: Settings, documents: str) -> dict[str, list[object]]:
    who = Principal(tenant="acme", user="u1", tier="PRO", collections=("documents",))
    rival = Principal(tenant="rival", user="u2", tier="PRO", collections=("documents",))
    async with open_gate(
        settings=settings, tools=[OrderTool()], capabilities=[ORDER], collections={"acme": documents}
    ) as gate:
        answers = {
            "documents": await gate.call("ask_documents", ASKED, who),
            "documents of another tenant": await gate.call("ask_documents", ASKED, rival),
            "17": await gate.call("acme.order", {"number": "17"}, who),
            "18": await gate.call("acme.order", {"number": "18"}, who),
            "19": await gate.call("acme.order", {"number": "19"}, who),
        }
    return {
        name: [told_of(answer), answer.outcomes[0].verdict.stop.value, answer.outcomes[0].spent_units]
        for name, answer in answers.items()
    }


def main(folder: Path, documents: str) -> None:
    settings = Settings(data_dir=folder)
    told = asyncio.run(ask(settings, documents))
    records = open_archive(settings, capabilities=[ORDER])
    replays = [records.replay(row.session_id).result for row in records.sessions(9)]
    print(json.dumps({**told, "replays": replays}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
