"""SciFact claims researched through the gate: the abstracts as documents, each claim as a question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app import Principal, Researcher, ResearchResult, Settings, open_gate
from app.capabilities.answers.research import confidence_input
from app.capabilities.answers.research_input import ResearchInput
from app.evidence.answering.composer import compose
from app.evidence.confidence import ConfidenceInput
from app.kernel.outcome import ResearchOutcome
from app.wiring import documents_ready
from benchmarks.scifact import abstracts

QUESTION_CHARS = 500


@dataclass(frozen=True)
class Researched:
    """One question, what came of it, and the documents of its citations in their order."""

    question: str
    result: ResearchResult
    outcome: ResearchOutcome
    documents: tuple[str, ...]

    @property
    def grounded(self) -> bool:
        """True if the session ended with sources."""
        return bool(self.outcome.bundle.sources)

    def factors(self) -> ConfidenceInput:
        """The factors of the confidence formula."""
        facets = ResearchInput(question=self.question).plan().facets
        sources = self.outcome.bundle.sources
        return confidence_input(facets, compose(facets, sources), sources, self.outcome.ended)


def lay_out(folder: Path, without: frozenset[str] = frozenset()) -> Path:
    """The abstracts as Markdown files named by their ids, without some of them."""
    folder.mkdir(parents=True)
    for name, one in abstracts().items():
        if name not in without:
            title = " ".join(one.title.split())
            (folder / f"{name}.md").write_text(f"# {title}\n\n{' '.join(one.sentences)}\n", encoding="utf-8")
    return folder


async def researched(folder: Path, data: Path, questions: Iterable[str]) -> list[Researched]:
    """Every question over one folder, documents only, at balanced depth, each from somebody else."""
    settings = Settings(data_dir=data, environment="dev")
    collection, _ = await documents_ready(folder, settings)
    found = []
    async with open_gate(collection, settings=settings) as gate:
        for number, asked in enumerate(questions):
            question = asked[:QUESTION_CHARS]
            who = Principal(tenant="bench", user=f"u{number}", tier="MAX", collections=("documents",))
            researcher = Researcher(gate, who)
            limits = {"max_iterations": 4, "token_budget": 15_000, "source_filter": "documents"}
            result = await researcher.research(question, constraints=limits)
            assert researcher.outcome is not None
            cited = (one.locator.partition("/")[2].partition("#")[0] for one in result.citations)
            documents = tuple(dict.fromkeys(name.removesuffix(".md") for name in cited))
            found.append(Researched(question, result, researcher.outcome, documents))
    return found
