"""What the package may take from modules outside it, as data: modules by floor, names of modules that hold more."""

from __future__ import annotations

__all__ = [
    "CLASS_PATCHERS",
    "CORE_ALONE",
    "EVALUATORS",
    "FROM_MEMORY",
    "HOMES_IN_CORE",
    "LOOP_MAY",
    "MODULES_OUTSIDE_CORE",
    "NAMES_OF",
    "NEVER_LOADED",
    "OTHER_NAME_OF",
    "PACKAGES",
]

# Modules of packages from outside the standard library, each by its full name: `pydantic` does not mean `pydantic.v1`.
PACKAGES = frozenset({
    "ada_url", "backports.zstd", "brotli", "fastapi", "fastapi.exceptions", "fastapi.openapi.utils",
    "fastapi.responses", "fastapi.routing", "fastapi.staticfiles", "jinja2",
    "mcp.server.auth.middleware.bearer_auth",
    "mcp.server.auth.provider", "mcp.server.context", "mcp.server.lowlevel.server", "mcp.server.stdio",
    "mcp.server.transport_security", "mcp.shared.exceptions", "mcp_types", "opentelemetry",
    "opentelemetry.metrics", "opentelemetry.trace", "protego",
    "pydantic", "pydantic.alias_generators", "pypdfium2", "pypdfium2.raw", "re2", "rfc8785", "rich.console",
    "rich.live", "rich.padding", "rich.progress", "rich.spinner", "rich.table", "rich.text", "selectolax.lexbor",
    "snowballstemmer",
    "starlette.concurrency", "starlette.exceptions", "starlette.requests", "starlette.responses",
    "tantivy", "typer", "typer.core", "typer.main", "typing_extensions", "uvicorn", "uvicorn.protocols.http.h11_impl",
    "uvicorn.supervisors",
})  # fmt: skip
# Of the standard library, for floors that touch the machine; the core has a list per floor.
MODULES_OUTSIDE_CORE = frozenset({
    "__future__", "array", "asyncio", "base64", "bisect", "collections", "collections.abc", "contextlib",
    "contextvars", "csv", "dataclasses", "datetime", "decimal", "enum", "errno", "fcntl", "functools", "gzip",
    "hashlib", "heapq", "hmac", "html", "io", "ipaddress", "itertools", "json", "logging", "math", "os", "os.path",
    "pathlib", "queue", "re", "secrets", "shlex", "shutil", "sqlite3", "stat", "statistics", "string", "struct", "sys",
    "tempfile", "textwrap", "time", "tomllib", "types", "typing", "unicodedata", "urllib.parse", "uuid", "warnings",
    "zipfile", "zlib",
})  # fmt: skip

# Modules that can do more than compute, and what of them the package takes.
NAMES_OF = {
    "ada_url": frozenset({"URL"}),
    "backports.zstd": frozenset({"DecompressionParameter", "ZstdDecompressor", "ZstdError"}),
    "brotli": frozenset({"Decompressor", "error"}),
    "codecs": frozenset({
        "BOM_UTF16_BE", "BOM_UTF16_LE", "BOM_UTF32_BE", "BOM_UTF32_LE", "BOM_UTF8", "getincrementaldecoder", "lookup",
    }),
    "contextlib": frozenset({
        "AbstractAsyncContextManager", "AbstractContextManager", "AsyncExitStack", "ExitStack", "aclosing",
        "asynccontextmanager", "closing", "contextmanager", "nullcontext", "suppress",
    }),
    "csv": frozenset({"DictReader", "Error", "reader", "writer"}),
    "dataclasses": frozenset({"KW_ONLY", "InitVar", "asdict", "dataclass", "field", "replace"}),
    "enum": frozenset({"Enum", "IntEnum", "StrEnum", "auto", "unique"}),
    "functools": frozenset({"cache", "cached_property", "cmp_to_key", "lru_cache", "partial", "reduce"}),
    "hashlib": frozenset({"blake2b", "sha256", "sha512"}),
    "io": frozenset({"BytesIO", "StringIO"}),
    "json": frozenset({"JSONDecodeError", "JSONDecoder", "JSONEncoder", "dump", "dumps", "load", "loads"}),
    "posixpath": frozenset({"basename", "dirname", "join", "normpath", "split", "splitext"}),
    "protego": frozenset({"Protego"}),
    "pydantic": frozenset({
        "AfterValidator", "AliasChoices", "BaseModel", "BeforeValidator", "ConfigDict", "Discriminator", "Field",
        "JsonValue", "ModelWrapValidatorHandler", "NonNegativeInt", "PositiveInt", "RootModel", "SecretStr",
        "SerializerFunctionWrapHandler", "StrictBool", "StrictInt", "StrictStr", "StringConstraints", "Tag",
        "TypeAdapter", "ValidationError", "ValidationInfo", "WrapValidator", "field_serializer", "field_validator",
        "model_serializer", "model_validator",
    }),
    "pypdfium2": frozenset({"PdfDocument", "PdfPage", "PdfTextPage", "PdfiumError"}),
    "re2": frozenset({"Options", "Set", "compile", "error"}),
    "rfc8785": frozenset({"CanonicalizationError", "dumps"}),
    "selectolax.lexbor": frozenset({"LexborHTMLParser", "LexborNode", "SelectolaxError"}),
    "snowballstemmer": frozenset({"algorithms", "stemmer"}),
    "typer": frozenset({"Argument", "BadParameter", "Context", "Exit", "Option", "Typer"}),
    "typer.core": frozenset({"TyperGroup"}),
    "typer.main": frozenset({"get_group"}),
    "types": frozenset({"MappingProxyType", "TracebackType"}),
    "typing": frozenset({
        "TYPE_CHECKING", "Annotated", "Any", "BinaryIO", "ClassVar", "Final", "Generic", "Literal", "NamedTuple",
        "Never", "NewType",
        "NoReturn", "ParamSpec", "Protocol", "Self", "TypeAlias", "TypeGuard", "TypeVar", "TypedDict", "assert_never",
        "cast", "final", "overload", "override", "runtime_checkable",
    }),
    "typing_extensions": frozenset({"TypeAliasType", "TypeIs", "TypedDict", "deprecated", "override"}),
    "uuid": frozenset({"UUID", "uuid4", "uuid5"}),
    "zipfile": frozenset({"ZIP_DEFLATED", "ZIP_STORED", "BadZipFile", "ZipFile", "ZipInfo"}),
}  # fmt: skip

# Lists that bind the core alone: other floors have files and paths.
CORE_ALONE = frozenset({"io", "posixpath", "zipfile"})
# Where classes and functions of modules on the core's lists may come from, beside those modules.
HOMES_IN_CORE = frozenset({"abc", "builtins", "collections", "pyexpat", "pypdfium2_raw"})
# Modules that carry another name than the one they are taken by, and are meant.
OTHER_NAME_OF = {("os", "path"): "posixpath"}
# Importing these does something at once, so the guard does not load them to look; their rules refuse the name.
NEVER_LOADED = frozenset({"__main__", "antigravity", "idlelib", "lib2to3", "test", "this", "turtle", "turtledemo"})

# Methods of an event loop that only count, plan or tell; the others open, read or start something.
LOOP_MAY = frozenset({
    "call_at", "call_exception_handler", "call_later", "call_soon", "call_soon_threadsafe", "close", "create_future",
    "create_task", "default_exception_handler", "get_debug", "get_exception_handler", "get_task_factory", "is_closed",
    "is_running", "run_forever", "run_until_complete", "set_debug", "set_exception_handler", "set_task_factory",
    "shutdown_asyncgens", "shutdown_default_executor", "stop", "time",
})  # fmt: skip
# Classes that open the file of a name that they are given: in the core they are called with what is in memory.
FROM_MEMORY = {"zipfile.ZipFile": "BytesIO", "pypdfium2._helpers.document.PdfDocument": "bytes"}
# They write into the class or the function that they are given, so they are decorators here and nothing else.
CLASS_PATCHERS = frozenset({
    "dataclasses.dataclass", "enum.unique", "functools.singledispatch", "functools.total_ordering", "typing.final",
    "typing.override", "typing.runtime_checkable",
})  # fmt: skip
# They evaluate a text that stands where a type should: which of their arguments are types.
EVALUATORS = {
    "pydantic.type_adapter.TypeAdapter": slice(0, None),
    "typing.NamedTuple": slice(1, None),
    "typing.NewType": slice(1, None),
    "typing.TypeAliasType": slice(1, None),
    "typing.TypeVar": slice(1, None),
    "typing.TypedDict": slice(1, None),
    "typing.cast": slice(0, 1),
    "typing_extensions.TypeAliasType": slice(1, None),
    "typing_extensions.TypedDict": slice(1, None),
}
