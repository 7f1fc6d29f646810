"""The list of commands that `portcullis --help` prints, in the order of use; reading it loads none of them."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["COMMANDS", "ListedCommand", "help_of"]

_QUESTIONS: Final = "Questions and pages"
_SEARCHES: Final = "Searches outside"
_RECORDS: Final = "Records of past sessions"
_SERVICES: Final = "Capabilities and outside services"
_DOORS: Final = "Serving others"
_CHECKS: Final = "Texts and addresses"
_INSTALLATION: Final = "This installation"
_PROOFS: Final = "Certification and proofs"


class ListedCommand(NamedTuple):
    """One line of the help, and the panel in which it stands."""

    name: str
    panel: str
    help: str


COMMANDS: Final = (
    ListedCommand(
        "ask", _QUESTIONS, "Ask your documents, then the web if you set it up; the answer quotes them word for word."
    ),
    ListedCommand("search", _QUESTIONS, "List the best passages for some words, whether or not they answer anything."),
    ListedCommand("scrape", _QUESTIONS, "Read one web page: its text, what kind of source it is, how to cite it."),
    ListedCommand("index", _QUESTIONS, "Update the index of a folder and look for injected instructions in its files."),
    ListedCommand("research", _QUESTIONS, "Research a question in several steps; every sentence is cited."),
    ListedCommand("web", _SEARCHES, "Search the web with the providers that you configured."),
    ListedCommand("news", _SEARCHES, "Search the news of the last week, or of another time."),
    ListedCommand("images", _SEARCHES, "Search images; lists their links, thumbnails and pages."),
    ListedCommand("papers", _SEARCHES, "Search scholarly works, with DOIs, open copies and retractions."),
    ListedCommand("gather", _SEARCHES, "Search the web, read the best pages, and score them as sources."),
    ListedCommand("audit", _RECORDS, "Check a research result against the record of its session."),
    ListedCommand("diff", _RECORDS, "Show which sources changed between two research results."),
    ListedCommand("whatif", _RECORDS, "Replay recorded sessions under other caps or rules and show what changes."),
    ListedCommand("discoveries", _RECORDS, "List what past research met beside its questions."),
    ListedCommand("sessions", _RECORDS, "List past sessions, or show one."),
    ListedCommand("replay", _RECORDS, "Run a recorded session again, offline, and compare every byte."),
    ListedCommand("receipt", _RECORDS, "Print or check the receipt of a session."),
    ListedCommand("erase", _RECORDS, "Delete the question and the source texts of a session, for good."),
    ListedCommand("prune", _RECORDS, "Delete sessions that ended long ago."),
    ListedCommand("providers", _SERVICES, "List the outside services, their prices, and whether they may be asked."),
    ListedCommand("parse", _SERVICES, "Print how a provider's recorded answer is read, without a network."),
    ListedCommand("call", _SERVICES, "Call any capability by name and print its output as JSON."),
    ListedCommand("capabilities", _SERVICES, "List the capabilities, or show one with its JSON Schemas."),
    ListedCommand("serve", _DOORS, "Serve chat clients, programs and the console over HTTP."),
    ListedCommand("mcp", _DOORS, "Serve MCP clients: every capability as a tool, over stdio or HTTP."),
    ListedCommand("keys", _DOORS, "Make, list and revoke the keys that clients on the network need."),
    ListedCommand("screen", _CHECKS, "Look for injected instructions in a text of your own."),
    ListedCommand("judge-url", _CHECKS, "Say whether a URL would be fetched, and if not why; opens no connection."),
    ListedCommand("lint-report", _CHECKS, "Find dangling markers and uncited or doubled sources in Markdown reports."),
    ListedCommand("extract", _CHECKS, "Write the main content of every HTML file of a folder into one JSON file."),
    ListedCommand("health", _INSTALLATION, "Show whether research works here, and what prevents it."),
    ListedCommand("config", _INSTALLATION, "Check the settings of environment and configuration file."),
    ListedCommand("caps", _INSTALLATION, "Show the limits of every tier and environment, or check a table of yours."),
    ListedCommand("sandbox", _INSTALLATION, "Show how well the processes that read documents are confined here."),
    ListedCommand("version", _INSTALLATION, "Show the versions of the product, the contract and the injection rules."),
    ListedCommand("certify", _PROOFS, "Run the certification checks and write the certificate; needs a checkout."),
    ListedCommand("simulate", _PROOFS, "Run simulated sessions with faults and check each; needs a checkout."),
    ListedCommand("bench", _PROOFS, "Measure retrieval on a collection of your own."),
)


def help_of(name: str) -> str:
    """The help line of a command."""
    return next(listed.help for listed in COMMANDS if listed.name == name)
