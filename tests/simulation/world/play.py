"""Play a world: its sessions run concurrently through the production rooms, on one ledger and virtual time."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from opentelemetry.metrics import NoOpMeterProvider
from opentelemetry.trace import NoOpTracerProvider

from app.archive.recovery import recover
from app.kernel.canonical import sha256_hex
from app.kernel.caps import CapsUnusable
from app.kernel.catalog import ToolTable
from app.kernel.ledger import Reservation
from app.kernel.outcome import ResearchOutcome
from app.kernel.ports import ContentStore, Journal, Ledger, Toolbox
from app.kernel.request import Principal, ResearchRequest, read_request
from app.research.adapter import Adapter
from app.research.basis import Basis
from app.research.injection import InjectionScreen, RuleSet
from app.research.ledger import decide
from app.research.policy import Policy
from app.research.record.opening import Memory, read_chain, session_of
from app.research.record.replay import replay
from app.research.router import Router
from app.research.telemetry import Telemetry
from app.system.contract_files import read_contract, read_rules
from app.system.stores.content.memory import MemoryStore
from app.system.stores.journal.files import FileJournal
from app.system.stores.journal.memory import MemoryJournal
from app.system.stores.ledger.memory import MemoryLedger
from app.system.stores.ledger.sqlite import SqliteLedger
from app.system.tripwire import install
from tests.fixtures.scripted import NoLedger, NoTool, scripted_capability
from tests.fixtures.virtual_time import run_virtual
from tests.reference.session_model import PRICES
from tests.simulation.scenario.generate import BACK_MS, LIVES
from tests.simulation.world.neighbours import NeighbourLedger
from tests.simulation.world.observed import observed
from tests.simulation.world.stores import FailingJournal, FailingStore, Killed, Mortal, WatchedLedger
from tests.simulation.world.time import Clock, WorldLoop
from tests.simulation.world.tools import SimulatedObserver, SimulatedPlan, SimulatedTool

Json = dict[str, Any]
CONTRACT = read_contract()
RULES = read_rules()
RULES_DIGEST = sha256_hex(RULES.encode())
SCREEN = InjectionScreen(RuleSet.parse(RULES))
TRIPWIRE = install()
TELEMETRY = Telemetry(NoOpTracerProvider().get_tracer("simulation"), NoOpMeterProvider().get_meter("simulation"))
TOOLS = ToolTable.model_validate(
    {
        "catalog_version": 1,
        "tools": tuple(
            {"name": name, "price_units": price, "own_deadline_ms": 4_000, "max_output_bytes": 20_000,
             "effect": "external_write" if name == "writer" else "none", "schemes": ("doc", "http", "https")}
            for name, price in PRICES.items()
        ),
    },
    strict=False,
)  # fmt: skip
PATIENCE_MS = 10**9
SHM = Path("/dev") / "shm"  # memory where there is such a folder; every world has one of its own in it


class Ids:
    """Session ids that count a session's attempts."""

    def __init__(self, n: int) -> None:
        self._n, self._attempt = n, 0

    def session_id(self) -> str:
        self._attempt += 1
        return f"{self._n:08x}-0000-4000-8000-{self._attempt:012d}"


class World:
    """Everything that the sessions of one scenario share."""

    def __init__(self, given: Json) -> None:
        self.given = given
        self.loop = WorldLoop()
        self.clock = Clock(self.loop, given["jumps"])
        flavour = given["flavour"]
        self.folder: Path | None = None
        if flavour in ("files", "sqlite", "contention", "neighbour"):
            self.folder = Path(tempfile.mkdtemp(prefix="portcullis-sim-", dir=SHM if SHM.is_dir() else None))
        self.handles: list[Any] = []
        self.memory_journal, self.memory_store = MemoryJournal(), MemoryStore()
        self.players = [Player(self, session, place) for place, session in enumerate(given["sessions"])]

    def ledger(self, place: int) -> Ledger:
        """One ledger for all: in memory, or one file with several handles, some in another process."""
        flavour = self.given["flavour"]
        wanted = 2 if flavour in ("sqlite", "neighbour") else 1
        while len(self.handles) < wanted:
            self.handles.append(self._handle(flavour, len(self.handles)))
        return self.handles[place % wanted]

    def _handle(self, flavour: str, number: int) -> Any:
        if self.folder is None or flavour == "files":
            return MemoryLedger(self.clock, decide)
        patience = PATIENCE_MS if self.given["patient"] else 0
        path = self.folder / "ledger.db"
        if flavour == "neighbour" and number == 1:
            return NeighbourLedger(path, self.clock)
        return SqliteLedger(path, self.clock, decide, patience_ms=patience)

    async def go(self) -> None:
        """Every session from its start to its end, and what happens round them."""
        await self.ledger(0).standing("nobody", "none")
        round_it = [self._earlier(number, one) for number, one in enumerate(self.given["earlier"])]
        round_it += [self._lock(one) for one in self.given["locks"]]
        round_it += [self._jump(one) for one in self.given["jumps"]]
        await asyncio.gather(*round_it, *(player.go() for player in self.players))

    async def at(self, tick: int) -> None:
        """Sleep until a tick of the world."""
        await asyncio.sleep(tick / 100_000 - self.loop.time())

    async def _earlier(self, number: int, given: Json) -> None:
        await self.at(given["at"] * 100)
        wish = Reservation(
            subject=f"{given['tenant']}/{given['user']}", session_id=f"earlier-{number}", key="k", calls=given["calls"],
            units=0, max_calls_per_minute=10_000, max_calls_total=10_000, max_units=0, lease_ms=1_000,
        )  # fmt: skip
        decided = await self.ledger(0).reserve(wish)
        await self.ledger(0).settle(decided.reservation_id, 0)

    async def _lock(self, given: Json) -> None:
        assert self.folder is not None
        await self.at(given["at"] * 100 + 25)
        other = sqlite3.connect(self.folder / "ledger.db", isolation_level=None)
        try:
            other.execute("BEGIN IMMEDIATE")
            await self.at(given["until"] * 100 + 30)
            other.execute("ROLLBACK")
        finally:
            other.close()

    async def _jump(self, given: Json) -> None:
        await self.at(given["at"] * 100 + 20)
        for player in self.players:
            if player.running:
                player.happened.add("clock_forward" if given["by"] > 0 else "clock_back")

    async def standing(self, player: Player) -> list[int]:
        """What the ledger says of a session: calls, units spent, reservations still open."""
        if self.given["flavour"] == "neighbour":
            ledger: Any = self.ledger(0)
        else:
            ledger = self.ledger(player.place)
        stands = await ledger.standing("nobody", player.session_id)
        return [stands.session_calls, stands.spent_units, stands.open_reservations]

    def close(self) -> None:
        for handle in self.handles:
            handle.close()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


class Player:
    """One session of the world, over all its lives."""

    def __init__(self, world: World, given: Json, place: int) -> None:
        self.world, self.given, self.place = world, given, place
        self.happened: set[str] = set(given["declared"])
        self.running = False
        self.lives = 0
        self.outcome: ResearchOutcome | None = None
        self.same_again: bool | None = None
        self.replayed = ""
        self.session_id = ""
        self.ids = Ids(given["n"])
        calls = {call["id"]: call for batch in given["plan"]["batches"] for call in batch["calls"]}
        self.tool = SimulatedTool(calls, lambda: world.clock.tick() // 100)
        owned = ("documents",) if given["owns"] else ("letters",)
        self.principal = Principal(tenant=given["tenant"], user=given["user"], tier=given["tier"], collections=owned)
        wish: Json = {"narrow": given["narrow"], "balance_units": given["balance"], "clarified": given["clarified"]}
        self.request: ResearchRequest = read_request(
            question="What stands by the river?", capability="simulated", **wish
        )
        capability = replace(scripted_capability(self._plan, TOOLS), name="simulated")
        self.capabilities = {"simulated": capability}
        self.policy = Policy(
            environment=given["environment"], research_enabled=given["enabled"], sealed=given["sealed"],
            caps=CONTRACT.caps if given["readable"] else CapsUnusable(why="unreadable"),
        )  # fmt: skip

    def _plan(self, given: Any, request: ResearchRequest) -> SimulatedPlan:
        return SimulatedPlan(self.given["plan"], self.happened)

    async def go(self) -> None:
        """Start, live, and, where a process dies, live again."""
        await self.world.at(self.given["start"] * 100 + self.place + 1)
        ends = list(self.given["ends"])
        first = True
        while True:
            end = ends.pop(0) if ends else None
            done = await self._life(end, first)
            first = False
            if done:
                break
            await self.world.at(self.world.clock.tick() + (end["back"] if end else BACK_MS) * 100)
            if not self.given["key"]:
                await self._recover()
                if self.lines() or self.outcome is not None:
                    break
        if self.given["key"]:
            await self._ask_again()

    async def _life(self, end: Json | None, first: bool) -> bool:
        """True unless the session was left open."""
        life = Mortal(end, self.happened)
        self.life = life
        self.tool.mortal = life
        ledger = WatchedLedger(self.world.ledger(self.place), life, self._fault("ledger_error"), self.world.clock.tick)
        journal, store = self._stores(life)
        router = self._router(dict.fromkeys(PRICES, self.tool), ledger, journal, store)
        observer = SimulatedObserver(self._fault("observer_error"), self.happened) if self.given["watched"] else None
        self.lives += 1
        assert self.lives <= LIVES, "the session never comes to an end"
        run = asyncio.ensure_future(
            router.run(self.request, self.principal, session_key=self.given["key"], observer=observer)
        )
        self.running = True
        if first and "cancel" in self.given:
            self.world.loop.call_at(
                ((self.given["start"] + self.given["cancel"]) * 100 + 11 + self.place) / 100_000, self._cancel, run
            )
        self.outcome = None
        try:
            self.outcome = await run
        except asyncio.CancelledError:
            if "cancellation" not in self.happened:
                raise
        except Killed:
            pass
        finally:
            self.running = False
        self._name()
        return self._ended()

    def _fault(self, name: str) -> Json | None:
        """What breaks in this life."""
        fault = self.given.get(name)
        return fault if fault and fault.get("life", self.lives) == self.lives else None

    def _cancel(self, run: asyncio.Future[Any]) -> None:
        if not run.done():
            self.happened.add("cancellation")
            run.cancel()

    def _stores(self, life: Mortal) -> tuple[Journal, ContentStore]:
        if self.world.given["flavour"] != "files" or self.world.folder is None:
            return self.world.memory_journal, self.world.memory_store
        folder = self.world.folder
        return FailingJournal(folder / "journal", life), FailingStore(folder / "store", life)

    def _router(self, toolbox: Toolbox, ledger: Ledger, journal: Journal, store: ContentStore) -> Router:
        clock = self.world.clock
        adapter = Adapter(toolbox, SCREEN, ledger, clock, TELEMETRY, TRIPWIRE)
        memory = Memory(clock, self.ids, journal, store, TRIPWIRE)
        basis = Basis(CONTRACT, RULES_DIGEST, TOOLS)
        return Router(basis, self.policy, adapter, self.capabilities, memory, TELEMETRY, TRIPWIRE)

    async def _recover(self) -> None:
        """The start of another process on the same folder (R12)."""
        assert self.world.folder is not None
        journal = FileJournal(self.world.folder / "journal")
        await recover(journal, self.world.ledger(self.place), self.world.clock)

    def _name(self) -> None:
        """Which session this was: the outcome says it, or the files do."""
        if self.given["key"]:
            self.session_id = session_of(self.principal, self.given["key"])
        else:
            self.session_id = f"{self.given['n']:08x}-0000-4000-8000-{self.ids._attempt:012d}"

    def lines(self) -> tuple[bytes, ...]:
        """What stands in the journal of this session."""
        if self.world.given["flavour"] != "files" or self.world.folder is None:
            return self.world.memory_journal.lines(self.session_id)
        journal = FileJournal(self.world.folder / "journal")
        found = journal.find(self.session_id)
        read = None if found is None else journal.read(found)
        return () if read is None else read[1]

    def _ended(self) -> bool:
        lines = self.lines()
        return bool(lines) and json.loads(lines[-1])["step"] == "Closed"

    async def _ask_again(self) -> None:
        """R19: a finished session of a key gives its outcome again, and calls nobody."""
        life = Mortal(None, self.happened)
        journal, store = self._stores(life)
        before = len(self.tool.started)
        router = self._router(dict.fromkeys(PRICES, self.tool), self.world.ledger(self.place), journal, store)
        again = await router.run(self.request, self.principal, session_key=self.given["key"])
        if self.outcome is None:
            self.outcome = again
        self.same_again = again == self.outcome and len(self.tool.started) == before

    async def replay(self) -> str:
        """The session again from its record alone, on a machine without tools and ledger."""
        lines = self.lines()
        if not lines:
            return "none"
        journal, store = self._stores(Mortal(None, self.happened))
        found = await replay(
            self.session_id,
            read_chain(lines),
            lambda digest: store.get(self.principal.tenant, digest),
            lambda opened: self._router({entry.name: NoTool() for entry in opened.tools}, NoLedger(), journal, store),
        )
        return found.result


def play(given: Json) -> list[Json]:
    """What came out of each session of a world, as plain data."""
    world = World(given)
    found: list[Json] = []

    async def to_the_end() -> None:
        await world.go()
        for player in world.players:
            found.append(observed(player, await world.standing(player), await player.replay()))

    try:
        run_virtual(world.loop, to_the_end())
    finally:
        world.close()
    return found
