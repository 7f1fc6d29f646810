# Short commands for people and for CI; `make help` lists them.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
AXE_VERSION := 4.14.0
STAMP := $(VENV)/.ready
# Every process that a test starts would compile our modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup run serve test test-names check coverage browser test-browser screenshots golden-update schemas readme provider-page mcp-page determinism seal seal-catalog certify certify-quick certificate release stale sabotage prove prove-long mutants fuzz vendor rules bench bench-answers bench-core bench-burst bench-chat bench-crowd bench-evidence bench-extraction bench-fetching bench-grounding bench-injection bench-research bench-retrieval bench-history bench-sandbox bench-search bench-startup chaos-search conformance conformance-smoke bench-mcp crowd-mcp demo-web kills simulate planted test-api test-clients lock clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18

setup: $(STAMP) ## build .venv with the locked run-time and development packages

$(STAMP): requirements/dev.txt pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) not found: install Python 3.11 or run 'make PYTHON=python3.12 setup'" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m pip check
	@touch $@

run: setup ## ask the sample documents a question, then research one with two parts
	$(BIN)/portcullis ask "How long should sourdough proof in the fridge?"
	$(BIN)/portcullis research "What is autolyse, and how long should sourdough proof in the fridge?" --documents-only

serve: setup ## open the chat backend on the sample documents; prints a one-time key and the console's address
	$(BIN)/portcullis serve --one-time-key

test: setup ## run every test (three at a time keep two cores busy: many wait for a process or a socket)
	$(BIN)/python -m pytest -n 3

test-names: setup ## run what a host relies on under the installed name, `portcullis`
	PORTCULLIS_TEST_PACKAGE=portcullis $(BIN)/python -m pytest -n 2 tests/golden tests/property tests/reference tests/tools tests/unit

check: setup ## lint, types, import contracts, the guard, generated files, the lock
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy tests/typing/api.py
	$(BIN)/mypy scripts/guard
	$(BIN)/mypy benchmarks
	$(BIN)/lint-imports --config importlinter.ini --no-cache
	$(BIN)/python -m scripts.guard
	$(BIN)/python -m scripts.schemas --check
	$(BIN)/python -m scripts.readme --check
	$(BIN)/python -m scripts.provider_page --check
	$(BIN)/python -m scripts.mcp_page --check
	$(BIN)/python -m scripts.fold_tables --check
	$(BIN)/python -m scripts.rule_catalogue --check
	$(BIN)/python -m scripts.seal --check
	$(BIN)/python -m scripts.seal_catalog --check

coverage: setup ## branch coverage of kernel, screen and research: 100 % or red
	$(BIN)/python -m coverage erase
	$(BIN)/python -m coverage run -m pytest -q -p no:xdist tests/unit/kernel tests/unit/research tests/unit/screen tests/property/test_folding.py tests/golden tests/reference
	$(BIN)/python -m coverage combine -q || true
	$(BIN)/python -m coverage report

browser: ## install Debian's chromium for the browser tests, where it is missing (needs root and apt)
	@command -v chromium >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null

test-browser: setup .axe/node_modules/axe-core ## the console in a real browser, with axe-core on every page (needs chromium and npm)
	BROWSER_TESTS=all $(BIN)/python -m pytest tests/browser

screenshots: setup ## write docs/img: the pages of the console in light and dark (ARGS="--only request-light")
	$(BIN)/python -m tests.browser.screenshots $(ARGS)

.axe/node_modules/axe-core:
	npm install --silent --no-audit --no-fund --no-save --prefix .axe axe-core@$(AXE_VERSION)

golden-update: setup ## write the digests of the golden cases again
	$(BIN)/python -m tests.golden.update

schemas: setup ## export the JSON Schemas of the public types
	$(BIN)/python -m scripts.schemas

readme: setup ## write the generated tables of the README again
	$(BIN)/python -m scripts.readme

provider-page: setup ## write the generated tables of docs/providers.md again
	$(BIN)/python -m scripts.provider_page

mcp-page: setup ## write the table of tools in docs/mcp.md again
	$(BIN)/python -m scripts.mcp_page

rules: setup ## write the screen's generated files again: character tables, rule catalogue
	$(BIN)/python -m scripts.fold_tables
	$(BIN)/python -m scripts.rule_catalogue

determinism: setup ## one digest over Pythons, hash seeds, completion orders, processes
	@$(BIN)/python -m scripts.determinism
	@$(BIN)/python -m scripts.screen_digest
	@$(BIN)/python -m scripts.simulation_digest

seal: setup ## write LOCK again and say why: make seal REASON="why"
	@$(BIN)/python -m scripts.seal --reason "$$REASON"

seal-catalog: setup ## write catalog/LOCK and the digest in providers.json again, after a row of the catalogue changed
	@$(BIN)/python -m scripts.seal_catalog

certify: setup ## run the checks whose evidence is stale, write evidence and certificate (ARGS=--all: every check)
	@$(BIN)/python -m scripts.certify $(ARGS)

certify-quick: setup ## the short form for CI: certificate, manifest, cheap checks; names what is stale; writes nothing
	@$(BIN)/portcullis certify --quick

certificate: setup ## write CERTIFICATION.md and the table of checks again, from evidence and manifest
	@$(BIN)/portcullis certify --render

release: setup ## red when a check or long proof is stale, evidence is forged, the lock does not match, or conformance, browser, API or client tests fail
	@$(BIN)/portcullis certify --check release
	@$(BIN)/python -m scripts.mcp_conformance
	@$(MAKE) --no-print-directory test-browser
	@$(BIN)/python -m scripts.openapi_trial
	@$(BIN)/python -m scripts.chat_clients

stale: setup ## which checks and proofs are stale and why; or would be: make stale FILES="a.py b.json"
	@$(BIN)/python -m scripts.staleness $(FILES) $(ARGS)

sabotage: setup ## sabotage the gate in a copy of the checkout: every sabotage must be noticed by name
	@$(BIN)/python -m scripts.certify.sabotage

prove: setup ## seeded samples of every proof: z3, CrossHair, mutants, fuzzing, simulation
	@$(BIN)/python -m scripts.prove

prove-long: setup ## stale proofs at full length (up to an hour); writes their evidence (ARGS=--all: every proof)
	@nice -n 10 $(BIN)/python -m scripts.prove --long $(ARGS)

mutants: setup ## plant mutants in a copy and see them noticed: those of stale files (ARGS=--all: of every file)
	@nice -n 10 $(BIN)/python -m scripts.mutants $(ARGS)

fuzz: setup ## look for inputs that break a reader: make fuzz SECONDS=60 SEED=0
	@$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60) --seed $(or $(SEED),0)

vendor: setup ## copy the gate into a host's tree: make vendor DEST=path/to/gate
	$(BIN)/python -m scripts.vendor "$(DEST)"

bench: bench-answers bench-core bench-burst bench-chat bench-crowd bench-evidence bench-extraction bench-fetching bench-grounding bench-injection bench-mcp bench-research bench-retrieval bench-history bench-sandbox bench-search bench-startup ## every benchmark, one JSON document each

bench-core: setup ## cost of the gate per call beside a bare HTTP call
	@$(BIN)/python -m benchmarks.core

bench-burst: setup ## 40 first requests at once on a cold gate, ten times
	@$(BIN)/python -m benchmarks.burst

bench-chat: setup ## the HTTP door under load beside a bare app: 500 requests at once; cold start; memory (ARGS="--kills 100")
	@$(BIN)/python -m benchmarks.chat $(ARGS)

bench-crowd: setup ## demand above the caps: overshoot and undershoot
	@$(BIN)/python -m benchmarks.crowd

bench-fetching: setup ## 10,000 fetches with faults: outcomes, memory, descriptors
	@$(BIN)/python -m benchmarks.fetching

bench-injection: setup ## the screen: recall, false alarms, speed, hostile texts (needs the corpora)
	@$(BIN)/python -m benchmarks.injection

bench-extraction: setup ## main content of real pages beside other extractors: F1 and pages per second
	@$(BIN)/python -m benchmarks.extraction

bench-grounding: setup ## questions that folders can and cannot answer: how many are grounded (needs the corpora)
	@$(BIN)/python -m benchmarks.grounding

bench-answers: setup ## small folders of tables, lists and prose: right sentence first, near misses refused
	@$(BIN)/python -m benchmarks.answers

bench-evidence: setup ## citations, sentences, coverage, confidence and unanswerable questions on SciFact (needs the corpora)
	@$(BIN)/python -m benchmarks.evidence

bench-research: setup ## 500 generated research results, audited; a session beside its bare look-ups
	@$(BIN)/python -m benchmarks.research

bench-retrieval: setup ## search on 60,000 documents beside raw tantivy
	@$(BIN)/python -m benchmarks.retrieval_scale

bench-history: setup ## cost per call with 100,000 sessions on disk beside 1,000
	@$(BIN)/python -m benchmarks.history

bench-sandbox: setup ## a document read in the sandbox beside the same parser in-process
	@$(BIN)/python -m benchmarks.sandbox

bench-search: setup ## a search beside the bare JSON of its answers: five providers, twenty results each
	@$(BIN)/python -m benchmarks.searching

bench-startup: setup ## processor time of --help, version and a question
	@$(BIN)/python -m benchmarks.startup

chaos-search: setup ## 2,000 searches while six providers fail in turns: outcomes, budgets, breakers
	@$(BIN)/python -m tests.fixtures.search_chaos

conformance: setup ## the MCP door against the official conformance suite and the MCP inspector
	@$(BIN)/python -m scripts.mcp_conformance

conformance-smoke: setup ## a few scenarios of the MCP suite and a few calls by the inspector; part of CI
	@$(BIN)/python -m scripts.mcp_conformance --smoke

bench-mcp: setup ## a document look-up over stdio beside a bare MCP server that returns the same bytes
	@$(BIN)/python -m benchmarks.mcp

crowd-mcp: setup ## 10,000 mixed MCP calls at concurrency 50, one in twenty dropped: outcomes, stuck calls, memory
	@$(BIN)/python -m benchmarks.mcp_crowd

test-clients: setup ## the HTTP door against chat clients from npm (installs Node below .conformance/)
	@$(BIN)/python -m scripts.chat_clients

test-api: setup ## the HTTP door against its own OpenAPI document: generated requests, right and wrong
	@$(BIN)/python -m scripts.openapi_trial

demo-web: setup ## search and read a small web on this machine, without a network
	@PORTCULLIS_DATA=$$(mktemp -d) $(BIN)/python -m tests.fixtures.web_world gather "drinking water price" --num-results 3

kills: setup ## 400 random kills of the command line: nothing lost, nothing repeated
	@$(BIN)/python -m benchmarks.kills

simulate: setup ## 50,000 simulated sessions with faults, each judged by the oracle
	@$(BIN)/portcullis simulate --sessions 50000 --json

planted: setup ## every planted fault in a copy of the product: each must be found, and the sound product not blamed
	@$(BIN)/python -m tests.simulation.planting

lock: ## write the requirements files again (needs uv on the PATH)
	cd requirements && uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header run.in -o run.txt
	cd requirements && uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -c run.txt dev.in -o dev.txt

clean: ## remove what the commands made
	rm -rf $(VENV) .axe .conformance build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.* .portcullis .determinism
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
