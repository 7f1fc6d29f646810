"""What is allowed and what is refused, as data; every exception has its reason.

A name that ends with a slash is a room: every file in it, those that come later as well. A file's name means that file.
"""

from __future__ import annotations

__all__ = [
    "ADAPTER",
    "ALLOWED_IMPORTS",
    "ALLOWED_NAMES",
    "ASYNCIO_IN_CORE",
    "CONSTRUCTORS",
    "CORE",
    "DUNDERS",
    "DYNAMIC",
    "DYNAMIC_OUTSIDE",
    "EXCEPTIONS",
    "FILES_IN_CORE",
    "FUNCTOOLS_UNCACHED",
    "MACHINE",
    "MODULES_AS_ATTRIBUTES",
    "NAMES_ANYWHERE",
    "NAMES_IN_CORE",
    "OWNED",
    "PURE_PATHS",
    "RESERVED",
    "ROOMS_OF",
    "SPELLED_IN_TEXT",
    "TRICKS",
    "UNCACHED",
    "WAYS_OUT",
]

CORE = frozenset({"kernel", "screen", "parsing", "providers", "evidence", "research", "capabilities"})
ADAPTER = "research/adapter.py"
# Modules that only some may hold at all, and which of their names: the tools' handle, and the way to look away.
RESERVED = {
    "research.adapter": {
        "research/router.py": frozenset({"Adapter", "Tally"}),
        "wiring/": frozenset({"Adapter", "ToolOpener"}),
    },
    "system.tripwire": {"wiring/": frozenset({"install"})},
}

# The core: what is not listed is refused. A list says what a room may import, whether or not a file of it does so now.
ALLOWED_IMPORTS = {
    "kernel": frozenset({
        "__future__", "collections.abc", "contextlib", "dataclasses", "enum", "hashlib",
        "json", "pydantic", "pydantic.alias_generators", "re", "rfc8785", "typing", "typing_extensions",
    }),
    "screen": frozenset({
        "__future__", "array", "binascii", "bisect", "collections.abc", "dataclasses", "functools", "html", "itertools",
        "pydantic", "re", "re2", "struct", "typing",
    }),
    "parsing": frozenset({
        "__future__", "ada_url", "backports.zstd", "bisect", "brotli", "codecs", "collections.abc", "csv",
        "dataclasses", "enum", "functools", "html", "io", "ipaddress", "itertools", "json", "pathlib", "posixpath",
        "protego", "pypdfium2", "pypdfium2.raw", "re", "selectolax.lexbor", "snowballstemmer", "typing", "xml.parsers",
        "xml.parsers.expat", "zipfile", "zlib",
    }),
    # XML is read by parsing alone, where entities and depth are bounded.
    "providers": frozenset({
        "__future__", "base64", "collections.abc", "dataclasses", "enum", "functools", "html", "itertools", "json",
        "pydantic", "re", "selectolax.lexbor", "types", "typing", "urllib.parse",
    }),
    "evidence": frozenset({
        "__future__", "collections.abc", "dataclasses", "enum", "functools", "itertools", "math", "pydantic", "re",
        "typing",
    }),
    "research": frozenset({
        "__future__", "asyncio", "collections.abc", "contextlib", "dataclasses", "functools", "itertools",
        "opentelemetry.metrics", "opentelemetry.trace", "pydantic", "re", "types", "typing",
    }),
    "capabilities": frozenset({
        "__future__", "collections.abc", "dataclasses", "enum", "functools", "itertools", "math", "pydantic", "re",
        "types", "typing",
    }),
}  # fmt: skip
# Allowed imports that only some rooms need.
ROOMS_OF = {
    "opentelemetry.metrics": frozenset({"research/telemetry.py"}),
    "opentelemetry.trace": frozenset({"research/telemetry.py"}),
    "asyncio": frozenset({
        "research/adapter.py", "research/record/opening.py", "research/record/session_log.py", "research/router.py",
        "research/serving.py", "research/time_limits.py",
    }),
}  # fmt: skip
# Modules of which only some names may be taken, on any floor (asyncio: in the core).
ALLOWED_NAMES = {
    "threading": frozenset({"Condition", "Lock", "RLock"}),
    "types": frozenset({"MappingProxyType", "TracebackType"}),
}
# Of `functools` plans, providers and measures take what keeps nothing: a cache would be memory beside their values.
UNCACHED = frozenset({"capabilities", "evidence", "providers"})
FUNCTOOLS_UNCACHED = frozenset({"cmp_to_key", "partial", "reduce", "total_ordering"})
PURE_PATHS = frozenset({"PurePath", "PurePosixPath"})
ASYNCIO_IN_CORE = frozenset({"CancelledError", "Future", "Task", "get_running_loop", "shield", "sleep", "timeout"})

# Sockets, processes, threads and foreign code: refused on every floor.
MACHINE = frozenset({
    "antigravity", "asynchat", "asyncio.base_events", "asyncio.events", "asyncio.selector_events", "asyncio.streams",
    "asyncio.subprocess", "asyncio.unix_events", "asyncore", "concurrent", "ctypes", "distutils", "fabric", "ftplib",
    "http", "idlelib", "imaplib", "logging.config", "logging.handlers", "mmap", "multiprocessing", "nntplib", "poplib",
    "posix", "pty", "resource", "select", "selectors", "signal", "smtpd", "smtplib", "socket", "socketserver", "ssl",
    "subprocess", "telnetlib", "threading", "turtledemo", "urllib.request", "urllib.robotparser", "webbrowser",
    "wsgiref", "xml", "xmlrpc",
})  # fmt: skip
# Modules that find, load or run other code, or look into running code.
DYNAMIC = frozenset({
    "ast", "atexit", "bdb", "builtins", "cProfile", "cmd", "code", "codeop", "copy", "copyreg", "dis", "doctest",
    "ensurepip", "gc", "imp", "importlib", "inspect", "linecache", "marshal", "modulefinder", "operator", "pdb",
    "pickle", "pickletools",
    "pkgutil", "plistlib", "profile", "pyclbr", "pydoc", "rlcompleter", "runpy", "shelve", "site", "sitecustomize",
    "test", "timeit", "trace", "tracemalloc", "unittest", "usercustomize", "venv", "weakref", "zipapp", "zipimport",
})  # fmt: skip
# The same for scripts beside the package, which may look at code but not load, patch or unpickle it.
DYNAMIC_OUTSIDE = frozenset({
    "cloudpickle", "copyreg", "dill", "imp", "importlib", "importlib_metadata", "marshal", "pickle", "pkg_resources",
    "pkgutil", "pluggy", "runpy", "shelve", "stevedore", "unittest", "zipimport",
})  # fmt: skip

# Ways out by a method or function name, whatever the object is called.
WAYS_OUT = frozenset({
    "add_reader", "add_writer", "as_completed", "connect_accepted_socket", "connect_read_pipe", "connect_write_pipe",
    "create_connection", "create_datagram_endpoint", "create_server", "create_subprocess_exec",
    "create_subprocess_shell", "create_unix_connection", "create_unix_server", "environ", "environb", "execl", "execle",
    "execlp", "execlpe", "execv", "execve", "execvp", "execvpe", "fork", "forkpty", "getaddrinfo", "getenv", "getenvb",
    "open_connection", "open_unix_connection", "pager", "popen", "posix_spawn", "posix_spawnp", "putenv",
    "run_in_executor",
    "sendfile", "set_default_executor", "sock_accept", "sock_connect", "sock_recv", "sock_recvfrom", "sock_sendall",
    "sock_sendto", "spawnl", "spawnle", "spawnlp", "spawnlpe", "spawnv", "spawnve", "spawnvp", "spawnvpe",
    "start_server", "start_unix_server", "subprocess_exec", "subprocess_shell", "system", "to_thread",
})  # fmt: skip
# A module that another module happens to have imported.
MODULES_AS_ATTRIBUTES = frozenset({
    "builtins", "ctypes", "importlib", "io", "multiprocessing", "os", "posix", "socket", "ssl", "subprocess", "sys",
    "threading",
})  # fmt: skip
# Names that load or run code, or hand out what no import shows.
TRICKS = frozenset({
    "CodeType", "Formatter", "ForwardRef", "FunctionType", "ImportString", "PyObject", "addaudithook", "attrgetter",
    "bltns", "cr_frame", "create_model", "delattr", "enable_load_extension", "eval", "evaluate_forward_ref", "exec",
    "f_back", "f_builtins", "f_globals", "f_locals", "get_field", "get_referents", "get_referrers", "get_type_hints",
    "gi_frame", "global_enum", "globals", "load_extension", "make_dataclass", "meta_path", "methodcaller",
    "model_construct", "model_rebuild", "modules", "parse_file", "parse_raw", "path_hooks", "path_importer_cache",
    "redirect_stderr", "redirect_stdout", "setattr", "setprofile", "settrace", "tb_frame", "update_forward_refs",
    "update_wrapper", "validate_arguments",
})  # fmt: skip
NAMES_ANYWHERE = frozenset({
    "__builtins__", "__import__", "__loader__", "__path__", "__spec__", "breakpoint", "compile", "delattr", "eval",
    "exec", "globals", "input", "locals", "setattr", "vars",
})  # fmt: skip
NAMES_IN_CORE = frozenset({"dir", "hash", "id", "open", "print"})
FILES_IN_CORE = frozenset({
    "fdopen", "glob", "iterdir", "mkdir", "open", "read_bytes", "read_text", "rglob", "scandir", "touch", "unlink",
    "wait", "write_bytes", "write_text",
})  # fmt: skip
# Attributes with two underscores that say nothing about another object's insides.
DUNDERS = frozenset({"__class_getitem__", "__init__", "__name__", "__version__"})
SPELLED_IN_TEXT = (
    "__import__",
    "__globals__",
    "__subclasses__",
    "__builtins__",
    "app.tools",
    "importlib",
    "portcullis.tools",
)
# Attributes that only one file may spell, even on `self`: whoever else does is reaching through another class.
OWNED = {
    "_adapter": frozenset({"research/router.py"}),
    "_toolbox": frozenset({"research/adapter.py"}),
    "_tripwire": frozenset({"research/adapter.py", "research/router.py"}),
}

# Who builds the values that mean "has passed": a second site would be a way round a room.
CONSTRUCTORS = {
    "Source": frozenset({"research/validator.py"}),
    "ScreenedItem": frozenset({"research/injection.py"}),
    "ScreenedResult": frozenset({"research/injection.py"}),
    "SourceBundle": frozenset({"research/bundle.py"}),
    "Verdict": frozenset({
        "research/record/history.py", "research/resolver.py", "research/validator.py",
    }),
    "Grant": frozenset({"research/policy.py"}),
    "ResearchOutcome": frozenset({"research/router.py"}),
    # Who asks is said by a host, through `read_principal`.
    "Principal": frozenset(),
    "CallContext": frozenset({"research/adapter.py"}),
    "SessionLog": frozenset({"research/record/opening.py"}),
    "Tally": frozenset({"research/router.py"}),
    "Capability": frozenset({"capabilities/"}),
    "Adapter": frozenset({"wiring/"}),
    "Router": frozenset({"wiring/"}),
}  # fmt: skip

_SANDBOX = "backend/app/tools/sandbox"
_CONFINEMENT = f"{_SANDBOX}/walls/confinement.py"
_HOST = "backend/app/tools/sandbox/host/process.py"
_CHILDREN = "backend/app/tools/sandbox/host/children.py"
_NURSERY = "backend/app/tools/sandbox/inside/nursery.py"
_WORKERS = "backend/app/tools/sandbox/host/workers.py"
_BOOT = "backend/app/tools/sandbox/host/boot.py"
_INSIDE = "backend/app/tools/sandbox/inside/program.py"
_READER = "backend/app/tools/sandbox/inside/reader.py"
_WORKER = "backend/app/tools/sandbox/inside/worker.py"
_TRIPWIRE = "backend/app/system/tripwire.py"
_NAMES = "backend/app/tools/fetch/name_lookup.py"
_WIRE = "backend/app/tools/fetch/wire.py"
_LATE = "gives the public names, which are listed, once the rest is loaded"
_START = "backend/app/cli/start.py"
_FIRST = "ends the command line on Ctrl-C before anything is loaded that could"
_THREADS = "on Python 3.11 it raises the event for new threads that 3.12 has"
_STARTS = "starts, talks to and ends the worker processes"
_FORKS = "runs in a process of its own, which forks the workers of one tool and sees them end"
_WALLS = "asks the kernel for Landlock and seccomp, for which Python has no function"
_LAST_IMPORTS = "loads what a parser may need, then closes the import system before a foreign byte is read"
_LIMITS = "runs inside the worker, where it sets limits and loads the one tool that its host named"
_LOOKS_UP = "looks names up, in daemon threads: the call blocks and cannot be cut, and must not hold up the exit"
_FETCHES = "the one way to evidence on the network: judged addresses, pinned connections"
_XML = "backend/app/parsing/text/xml_events.py"
_HANDLERS = "expat asks for its handlers in this way, and the parser is this call's own"
_CUTTER = "backend/app/research/time_limits.py"
_CUTS = "runs the calls of a batch side by side and cuts them; what it starts ends with the session or is cancelled"
_RESEARCHER = "backend/app/front/researcher.py"
_STREAMS = "runs one session beside the caller who reads its progress; it is cancelled when the caller goes"
_AGAIN = "replays a finished session with who asked then; the record's chain is checked before"
_OWN_RECORD = "a record of its own with one field more, no sealed type"
_EXCHANGED = ("__bases__", "__class__", "__code__", "__defaults__", "__kwdefaults__")
_SAVING = ("__code__", "_cache_bytecode", "_getframe", "_load_unlocked", "_write_atomic")
_SAVED = "tells an import that saves its compiled code from anybody else who names such a path"
_STOPPED = "tells research under way that the server is being stopped, and waits for its end"
_RUN_AGAIN = "backend/app/archive/run_again.py"
_NOTED = "hands the steps of a replayed plan on as they are and notes them for the console; it asks for nothing itself"
_HASHED_PLAN = "names the file that defines a plan, to hash it"
_BENCH = "measures the insides of the gate; never shipped"
# (path, rule, subject) → reason. One that is no longer needed is itself a finding.
_PLANTS = "plants mutants in a copy's memory, in processes of its own"
EXCEPTIONS = {
    (_HOST, "machine", "select"): _STARTS,
    (_HOST, "machine", "socket"): _STARTS,
    (_HOST, "way-out", "sock_recv"): _STARTS,
    (_HOST, "way-out", "sock_sendall"): _STARTS,
    (_BOOT, "machine", "socket"): _STARTS,
    (_BOOT, "machine", "subprocess"): _STARTS,
    (_BOOT, "hidden-code", "importlib"): "the first line of a worker, which has to find the package of its host",
    (_CHILDREN, "machine", "signal"): _STARTS,
    (_CHILDREN, "machine", "socket"): _STARTS,
    (_CHILDREN, "machine", "subprocess"): _STARTS,
    (_CHILDREN, "open-line", "recv"): _STARTS,
    (
        f"{_SANDBOX}/host/worker_pool.py",
        "machine",
        "threading",
    ): "the thread that starts workers: they end with it, so it is its own",
    (_NURSERY, "machine", "resource"): _LIMITS,
    (_NURSERY, "machine", "select"): _FORKS,
    (_NURSERY, "machine", "signal"): _FORKS,
    (_NURSERY, "machine", "socket"): _FORKS,
    (_NURSERY, "open-line", "recv"): _FORKS,
    (_NURSERY, "open-line", "socketpair"): _FORKS,
    (_NURSERY, "private-reach", "_exit"): "a forked worker must not go on as a second nursery",
    (_NURSERY, "way-out", "fork"): _FORKS,
    (_WORKERS, "machine", "socket"): _STARTS,
    (_WORKERS, "open-line", "recv"): _STARTS,
    (_WORKERS, "open-line", "sendall"): _STARTS,
    (_WORKERS, "open-line", "socketpair"): _STARTS,
    (_INSIDE, "machine", "ctypes"): _LIMITS,
    (f"{_SANDBOX}/walls/limits.py", "machine", "resource"): _LIMITS,
    (_INSIDE, "machine", "signal"): _LIMITS,
    (_INSIDE, "machine", "socket"): _LIMITS,
    (_INSIDE, "private-reach", "_exit"): "a worker out of memory or without its host must not run anything more",
    (f"{_SANDBOX}/spec.py", "private-reach", "__module__"): "names the parser that its process loads",
    (f"{_SANDBOX}/host/worker_ends.py", "machine", "signal"): "tells by which signal a worker died",
    (f"{_SANDBOX}/walls/landlock.py", "machine", "ctypes"): _WALLS,
    (f"{_SANDBOX}/walls/seccomp.py", "machine", "ctypes"): _WALLS,
    (_CONFINEMENT, "machine", "ctypes"): _WALLS,
    (_CONFINEMENT, "machine", "resource"): _LIMITS,
    (_CONFINEMENT, "dynamic-code", "linecache"): _LAST_IMPORTS,
    (_CONFINEMENT, "dynamic-code", "importlib"): _LAST_IMPORTS,
    (_CONFINEMENT, "dynamic-code", "meta_path"): _LAST_IMPORTS,
    (_CONFINEMENT, "dynamic-code", "path_hooks"): _LAST_IMPORTS,
    ("scripts/mutants/running.py", "dynamic-code", "importlib"): _PLANTS,
    ("scripts/mutants/running.py", "dynamic-code", "modules"): _PLANTS,
    ("scripts/mutants/worker.py", "dynamic-code", "importlib"): _PLANTS,
    (
        "backend/app/system/provider_code.py",
        "dynamic-code",
        "importlib",
    ): "loads the pure file of a provider by its name in the catalogue, so that adding one touches no registry",
    (_READER, "machine", "resource"): _LIMITS,
    (_READER, "machine", "socket"): _LIMITS,
    (_READER, "dynamic-code", "importlib"): _LIMITS,
    (_READER, "dynamic-attribute", "getattr"): _LIMITS,
    (_WORKER, "dynamic-code", "importlib"): _LIMITS,
    (_WORKER, "machine", "resource"): _LIMITS,
    (_WORKER, "machine", "socket"): _LIMITS,
    (_WORKER, "private-reach", "__mro__"): "reads the names of an error's bases, to tell the host its kind",
    (_WORKER, "private-reach", "cls"): "a loop over those bases",
    (_WORKER, "dynamic-attribute", "getattr"): _LIMITS,
    ("backend/app/kernel/contract.py", "dynamic-attribute", "getattr"): "one text per action, keyed by a closed enum",
    ("backend/app/__init__.py", "dynamic-attribute", "getattr"): _LATE,
    (_START, "machine", "signal"): _FIRST,
    (_START, "dynamic-code", "gc"): "switches the collector off while modules are loaded, none of which is garbage",
    (_INSIDE, "dynamic-code", "gc"): "keeps the collector from what is loaded, which workers share",
    (_START, "open-line", "os.write"): _FIRST,
    (_START, "private-reach", "_exit"): _FIRST,
    (
        "backend/app/cli/main.py",
        "private-reach",
        "__mro__",
    ): "names a base of typer's errors that typer does not export",
    (
        "backend/app/research/record/opening.py",
        "sealed-type",
        "ResearchOutcome",
    ): "gives the outcome of a finished session again, from bytes that the store has compared with their digest",
    (
        "backend/app/cli/checkout.py",
        "way-out",
        "execv",
    ): "gives its process to the gate of the checkout; no session runs",
    ("backend/app/cli/tables.py", "dynamic-attribute", "getattr"): "prints the fields of the caps",
    (_NAMES, "machine", "socket"): _LOOKS_UP,
    (_NAMES, "machine", "threading"): _LOOKS_UP,
    (_NAMES, "way-out", "getaddrinfo"): _LOOKS_UP,
    (
        "backend/app/tools/fetch/ports.py",
        "machine",
        "ssl",
    ): "names the type of the certificates that the fetcher trusts",
    (_WIRE, "machine", "ssl"): _FETCHES,
    (_WIRE, "way-out", "start_tls"): _FETCHES,
    (_WIRE, "unlisted-package", "certifi"): _FETCHES,
    (_WIRE, "unlisted-package", "httpcore"): _FETCHES,
    (_WIRE, "unlisted-package", "httpx"): _FETCHES,
    (
        "backend/app/answering/model_endpoint.py",
        "unlisted-package",
        "httpx",
    ): "the operator's own endpoint, after the verdict; no evidence comes from it (R33)",
    ("backend/app/parsing/office/archives.py", "file-access", "open"): "opens a part of an archive that is in memory",
    (
        "backend/app/parsing/text/xml_events.py",
        "machine",
        "xml",
    ): "expat alone: no tree, no entities, nothing fetched",
    (_TRIPWIRE, "dynamic-code", "addaudithook"): "the one hook, which the process adds once",
    **{(_TRIPWIRE, "private-reach", word): _SAVED for word in _SAVING},
    (_TRIPWIRE, "dynamic-code", "importlib"): _SAVED,
    (_TRIPWIRE, "dynamic-code", "f_back"): _SAVED,
    **{(_TRIPWIRE, "hidden-code", word): "attributes whose exchange it watches for" for word in _EXCHANGED},
    (_TRIPWIRE, "dynamic-attribute", "getattr"): "stands before any port, so it passes every name on",
    (_TRIPWIRE, "machine", "_thread"): _THREADS,
    (_TRIPWIRE, "machine", "threading"): _THREADS,
    (_TRIPWIRE, "private-reach", "_start_new_thread"): _THREADS,
    ("backend/app/system/settings.py", "way-out", "environ"): "the one reader of environment variables",
    ("backend/app/wiring/document_setup.py", "way-out", "to_thread"): "indexes a folder off the loop, before a session",
    (
        "backend/app/kernel/request.py",
        "sealed-type",
        "Principal",
    ): "`read_principal`, the one way in which a host says who asks",
    ("backend/app/research/record/replay.py", "sealed-type", "Principal"): _AGAIN,
    ("backend/app/archive/whatif.py", "sealed-type", "Principal"): _AGAIN,
    ("backend/app/archive/shown_sources.py", "sealed-type", "Principal"): _AGAIN,
    ("backend/app/archive/recut.py", "sealed-type", "Source"): "a session's own sources, under the ids on its record",
    ("backend/app/capabilities/answers/check_grounding.py", "plan-impure", "await"): "no plan: the gate awaits it",
    ("backend/app/research/audience.py", "sealed-type", "Source"): "views for people and programs; no room reads one",
    (f"{_SANDBOX}/frames.py", "sealed-type", "CallContext"): "carries the adapter's context over the line to a worker",
    (
        "backend/app/kernel/capability.py",
        "forged-context",
        "scopes",
    ): "what an entry asks of a principal; it grants none",
    ("backend/app/system/plan_source.py", "hidden-code", "__code__"): _HASHED_PLAN,
    ("backend/app/system/plan_source.py", "private-reach", "__code__"): _HASHED_PLAN,
    (f"{_SANDBOX}/walls/landlock.py", "forged-context", "scopes"): "the kernel's word for what a process may reach",
    ("backend/app/system/stores/documents/refresh.py", "sealed-type", "model_copy"): _OWN_RECORD,
    ("backend/app/tools/scrape_page.py", "sealed-type", "model_copy"): _OWN_RECORD,
    ("backend/app/archive/archive.py", "sealed-type", "model_copy"): _OWN_RECORD,
    ("backend/app/parsing/html/tree.py", "kept-state", "{}"): "what every element without attributes has; never filled",
    (_XML, "foreign-assignment", "parser.StartElementHandler"): _HANDLERS,
    (_XML, "foreign-assignment", "parser.EndElementHandler"): _HANDLERS,
    (_XML, "foreign-assignment", "parser.EntityDeclHandler"): _HANDLERS,
    (_XML, "foreign-assignment", "parser.SkippedEntityHandler"): _HANDLERS,
    (_TRIPWIRE, "foreign-assignment", "_thread.start_new"): _THREADS,
    (_TRIPWIRE, "foreign-assignment", "_thread.start_new_thread"): _THREADS,
    (_TRIPWIRE, "foreign-assignment", "threading._start_new_thread"): _THREADS,
    (_CONFINEMENT, "foreign-assignment", "linecache.updatecache"): _LAST_IMPORTS,
    (_CONFINEMENT, "foreign-assignment", "sys.meta_path[:]"): _LAST_IMPORTS,
    (_CONFINEMENT, "foreign-assignment", "sys.path.clear"): _LAST_IMPORTS,
    (_CONFINEMENT, "foreign-assignment", "sys.path_hooks.clear"): _LAST_IMPORTS,
    (
        "scripts/certify/__main__.py",
        "foreign-assignment",
        "sys.path.insert",
    ): "the product on trial is the one beside it",
    ("scripts/mutants/running.py", "foreign-assignment", "function.__code__"): _PLANTS,
    (
        "scripts/mutants/running.py",
        "foreign-assignment",
        "importlib.machinery.SourceFileLoader.get_code",
    ): _PLANTS,
    (_RUN_AGAIN, "plan-place", "_WatchedPlan"): _NOTED,
    (_RUN_AGAIN, "sealed-type", "replace"): _NOTED,
    (_CUTTER, "leaked-task", "add_done_callback"): _CUTS,
    (_CUTTER, "leaked-task", "call_later"): _CUTS,
    (_CUTTER, "leaked-task", "create_task"): _CUTS,
    (
        "backend/app/chat/running.py",
        "leaked-task",
        "create_task",
    ): "runs research beside the connections that watch it; the door cancels what is left and waits when it closes",
    (
        "backend/app/chat/background_work.py",
        "leaked-task",
        "create_task",
    ): "chores of a server, beside its requests; they are cancelled and awaited when it ends",
    ("backend/app/chat/json_log.py", "open-line", "sys.stderr"): "the log of a server, which its supervisor collects",
    (
        "backend/app/system/prompt_requests.py",
        "leaked-task",
        "call_later",
    ): "closes a connection on which no request arrives; it is cancelled when one has, or when the connection ends",
    ("backend/app/chat/stop_signals.py", "machine", "signal"): _STOPPED,
    ("backend/app/chat/stop_signals.py", "leaked-task", "call_soon_threadsafe"): _STOPPED,
    ("backend/app/chat/stop_signals.py", "leaked-task", "ensure_future"): _STOPPED,
    (
        "backend/app/chat/replying.py",
        "leaked-task",
        "create_task",
    ): "the reply is made beside the stream that sends comments meanwhile; the stream cancels it when it ends",
    (
        "backend/app/chat/wording.py",
        "leaked-task",
        "create_task",
    ): "a model that several connections wait for is asked after the session; the last one to leave cancels it",
    (
        "backend/app/chat/connections.py",
        "leaked-task",
        "create_task",
    ): "listens for the end of one connection; it is cancelled and awaited when the response ends",
    (
        "backend/app/chat/capability_routes.py",
        "leaked-task",
        "create_task",
    ): "runs one call so that a client who leaves can cancel it; it is cancelled when the response ends",
    (
        "backend/app/mcp_server/progress_notes.py",
        "leaked-task",
        "create_task",
    ): "sends the notes of one call in order; it ends with that call or is cancelled",
    (
        "backend/app/system/quiet_loop.py",
        "leaked-task",
        "run_until_complete",
    ): "a loop that ends with its one piece of work",
    (_NAMES, "leaked-task", "call_soon_threadsafe"): _LOOKS_UP,
    (_RESEARCHER, "leaked-task", "add_done_callback"): _STREAMS,
    (_RESEARCHER, "leaked-task", "create_task"): _STREAMS,
    (
        "backend/app/tools/waiting.py",
        "leaked-task",
        "call_soon_threadsafe",
    ): "wakes a caller on the loop on which it waits; it does nothing else there",
    (
        "backend/app/cli/errors.py",
        "open-line",
        "os.dup2",
    ): "gives a closed pipe up at the exit, so that nothing is printed",
    (
        "backend/app/system/stores/documents/folder.py",
        "open-line",
        "os.fdopen",
    ): "reads a file that it has opened itself",
    (
        "backend/app/system/stores/journal/files.py",
        "open-line",
        "os.write",
    ): "appends to the journal that it has opened",
    (_HOST, "open-line", "recv"): _STARTS,
    (_HOST, "open-line", "socketpair"): _STARTS,
    (_INSIDE, "open-line", "recv"): _LIMITS,
    (_INSIDE, "open-line", "sendall"): _LIMITS,
    ("benchmarks/core.py", "tools-import", "tools.sandbox.host.hosted_tool"): _BENCH,
    ("benchmarks/core.py", "private-reach", "_adapter"): _BENCH,
    ("benchmarks/fetching.py", "tools-import", "tools.fetch.fetcher"): _BENCH,
    ("benchmarks/fetching.py", "tools-import", "tools.fetch.host_limits"): _BENCH,
    ("benchmarks/fetching.py", "tools-import", "tools.fetch.ports"): _BENCH,
    ("benchmarks/fetching.py", "tools-import", "tools.fetch.wire"): _BENCH,
    ("benchmarks/fetching.py", "tools-import", "tools.scrape_page"): _BENCH,
    ("benchmarks/research_web.py", "tools-import", "tools.fetch.fetcher"): _BENCH,
    ("benchmarks/research_web.py", "tools-import", "tools.fetch.ports"): _BENCH,
    ("benchmarks/extraction_worker.py", "tools-import", "tools.sandbox.host.document_reading"): _BENCH,
    ("benchmarks/process_call.py", "tools-import", "tools.sandbox.host.hosted_tool"): _BENCH,
    ("benchmarks/process_call.py", "tools-import", "tools.sandbox.inside.worker"): _BENCH,
    ("benchmarks/searching.py", "tools-import", "tools.services"): _BENCH,
    ("benchmarks/sandbox.py", "tools-import", "tools.sandbox.host.parsers"): _BENCH,
    ("benchmarks/sandbox.py", "tools-import", "tools.sandbox.host.document_reading"): _BENCH,
}
