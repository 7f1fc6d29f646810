"""The words of the rules about patches, kept state, tasks, open lines, plans and entry points, as data."""

from __future__ import annotations

__all__ = [
    "CLOCK_AND_CHANCE",
    "DOORS",
    "DOOR_NAMES",
    "ENDLESS",
    "ENTRY_POINTS",
    "FILLED_LATER",
    "HANDED_IN",
    "LINES",
    "LINES_OF_OS",
    "LINKS",
    "MODEL_CLIENTS",
    "MUTATORS",
    "PICKLE_HOOKS",
    "PLAN_HOMES",
    "PLAN_MAY_IMPORT",
    "REPLACE_FLOORS",
    "STARTERS",
]

# Methods that change the container they are called on.
MUTATORS = frozenset({
    "__setitem__", "add", "append", "appendleft", "clear", "difference_update", "discard", "extend", "extendleft",
    "insert", "intersection_update", "move_to_end", "pop", "popitem", "popleft", "remove", "reverse", "rotate",
    "setdefault", "sort", "symmetric_difference_update", "update",
})  # fmt: skip
# Builders of containers that are empty, and so are there to be filled.
FILLED_LATER = frozenset({
    "Counter", "OrderedDict", "WeakKeyDictionary", "WeakValueDictionary", "bytearray", "defaultdict", "deque", "dict",
    "list", "set",
})  # fmt: skip
# Iterators remember where they are.
ENDLESS = frozenset({"count", "cycle", "iter"})

# What starts work that nobody has to wait for.
STARTERS = frozenset({
    "Runner", "TaskGroup", "add_done_callback", "add_signal_handler", "atexit", "call_at", "call_later", "call_soon",
    "call_soon_threadsafe", "create_task", "eager_task_factory", "ensure_future", "run_coroutine_threadsafe",
    "run_forever", "run_until_complete", "set_task_factory", "start_soon", "weakref",
})  # fmt: skip
# What speaks through a line that somebody else has opened; Python raises no audit event for most of it.
LINES = frozenset({
    "drain", "fromfd", "fromshare", "recv", "recv_into", "recvfrom", "recvfrom_into", "recvmsg", "send_bytes",
    "sendall", "sendmsg", "sendto", "share", "socketpair", "writelines",
})  # fmt: skip
LINES_OF_OS = frozenset({
    "dup", "dup2", "eventfd_write", "fdopen", "pipe", "pipe2", "pwrite", "pwritev", "read", "readv", "splice", "write",
    "writev",
})  # fmt: skip

# Methods by which `copy` and `pickle` call whatever a value names.
PICKLE_HOOKS = frozenset({
    "__copy__", "__deepcopy__", "__getnewargs__", "__getnewargs_ex__", "__getstate__", "__reduce__", "__reduce_ex__",
    "__replace__", "__setstate__", "allow_pickle", "persistent_load", "reducer_override",
})  # fmt: skip

# What a capability may import from the house: values and pure functions.
PLAN_MAY_IMPORT = ("capabilities", "evidence", "kernel", "parsing", "research.audience", "screen")
# Where a class may have `next_step`: the port, and the floor whose plans are registered.
PLAN_HOMES = ("capabilities/", "kernel/ports.py", "kernel/ports/")
# Ports of the kernel: whoever holds one can ask the machine.
HANDED_IN = frozenset({
    "Any", "AsyncGenerator", "AsyncIterator", "Awaitable", "Callable", "Clock", "ContentStore", "Coroutine",
    "DocumentIndex", "Generator", "Ids", "Iterator", "Journal", "Ledger", "MutableMapping", "MutableSequence",
    "MutableSet", "Observer", "PrivateAttr", "Tool", "Toolbox", "arbitrary_types_allowed", "bytearray", "deque",
    "dict", "list", "object", "set",
})  # fmt: skip
CLOCK_AND_CHANCE = frozenset({
    "choice", "choices", "gauss", "getrandbits", "monotonic", "monotonic_ns", "now", "now_ms", "perf_counter",
    "perf_counter_ns", "process_time", "randbelow", "randbytes", "randint", "random", "randrange", "sample", "shuffle",
    "time", "time_ns", "today", "token_bytes", "token_hex", "token_urlsafe", "uniform", "urandom", "utcnow", "uuid1",
    "uuid4",
})  # fmt: skip
MODEL_CLIENTS = frozenset({
    "acompletion", "acreate", "ainvoke", "anthropic", "astream", "chat", "chat_completion", "completion",
    "completions", "generate", "generate_content", "invoke", "litellm", "llm", "messages", "openai", "predict",
    "responses",
})  # fmt: skip

# Who asks, and what they may see, is said at a door; these names are for doors and for the rooms that define them.
DOORS = (
    "__init__.py",
    "chat/",
    "cli/",
    "front/",
    "kernel/request.py",
    "chat/",
    "mcp_server/",
    "research/audience.py",
    "system/api_keys.py",
    "system/stores/keys/",
)
DOOR_NAMES = frozenset({"OPERATOR_SCOPE", "for_operator", "local_principal", "operator", "read_principal", "scopes"})
# Floors that copy records of their own; no sealed type gets there.
REPLACE_FLOORS = ("parsing/", "tools/")

# (table, name, object) → reason. An installer or a loader runs these without an import that anybody could read.
ENTRY_POINTS = {
    (
        "project.scripts",
        "portcullis",
        "portcullis.cli.start:main",
    ): "the command line, whose doors lead through the gate",
}
# (path, where it leads) → reason. No tool follows a link, so code behind one is read by no rule.
LINKS = {
    ("backend/portcullis", "app"): "the name of an installation, for the folder that every rule reads as `backend/app`",
}
