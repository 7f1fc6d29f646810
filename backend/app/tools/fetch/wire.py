"""The wire: one exchange of HTTP at a time, over connections that go to pinned addresses and nowhere else."""

from __future__ import annotations

import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol

import certifi
import httpcore
import httpx

from ...kernel.errors import DestinationForbidden, OperationForbidden
from ...parsing.http.exchange import FetchCode
from ...parsing.url.addresses import address_refusal
from ...parsing.url.urls import JudgedUrl

__all__ = ["Dialler", "SystemDialler", "Wire", "WireFault", "WireLimits", "WireResponse", "trusting"]

_TRIED: Final = 3


@dataclass(frozen=True, slots=True)
class WireLimits:
    """What one exchange may cost before it is given up."""

    header_bytes: int = 65_536
    header_count: int = 256
    connect_ms: int = 5_000
    read_ms: int = 10_000


class WireFault(Exception):
    """An exchange that ended without a response, or half-way through one."""

    def __init__(self, code: FetchCode) -> None:
        super().__init__(code.value)
        self.code = code


class Dialler(Protocol):
    """Opens a connection to an address.

    Raises:
        httpcore.ConnectError, httpcore.ConnectTimeout: it cannot be opened.
    """

    async def dial(self, address: str, port: int, timeout_s: float) -> httpcore.AsyncNetworkStream: ...


class SystemDialler:
    """Plain TCP."""

    async def dial(self, address: str, port: int, timeout_s: float) -> httpcore.AsyncNetworkStream:
        """Connect; the address is one already, so nothing is looked up."""
        return await httpcore.AnyIOBackend().connect_tcp(address, port, timeout=timeout_s)


def trusting(ca_file: str = "") -> ssl.SSLContext:
    """Certificates are verified: against the operator's file, or the list that the package `certifi` ships."""
    context = ssl.create_default_context(cafile=ca_file or certifi.where())
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return context


class WireResponse:
    """A response's head, and its body as it comes off the wire."""

    def __init__(self, status: int, fields: tuple[tuple[str, str], ...], body: AsyncIterator[bytes]) -> None:
        self.status = status
        self.fields = fields
        self._body = body

    def chunks(self) -> AsyncIterator[bytes]:
        """The body, still in its content coding.

        Raises:
            WireFault: the connection broke, or fell silent.
        """
        return self._body


class Wire:
    """The connections of one fetch: at most one per origin, each to an address that was judged for its host."""

    def __init__(self, dialler: Dialler, tls: ssl.SSLContext, limits: WireLimits) -> None:
        self._backend = _PinnedBackend(dialler, limits)
        self._limits = limits
        self._transport = _PinnedTransport(self._backend, tls)

    def pin(self, host: str, addresses: Sequence[str], *, own_service: bool = False) -> None:
        """From now on the host is at these addresses; nobody looks it up again.

        Raises:
            DestinationForbidden: one of them is not public, and the service is not the operator's own.
        """
        if not own_service and any(address_refusal(address) is not None for address in addresses):
            raise DestinationForbidden("an address that is not public was about to be pinned")
        self._backend.pins[host] = tuple(addresses)

    def pinned(self, host: str) -> bool:
        """Whether the host was judged already."""
        return host in self._backend.pins

    @asynccontextmanager
    async def exchange(
        self, url: JudgedUrl, method: str, fields: Iterable[tuple[str, str]], body: bytes
    ) -> AsyncIterator[WireResponse]:
        """Send one request; inside the block its response can be read.

        Raises:
            WireFault: there is none.
            DestinationForbidden: the host was not judged.
        """
        seconds = {"connect": self._limits.connect_ms / 1000, "read": self._limits.read_ms / 1000}
        request = httpx.Request(
            method,
            f"{url.scheme}://{url.authority}/",
            headers=[(name.encode("ascii"), value.encode("utf-8")) for name, value in fields],
            content=body or None,
            extensions={
                "target": url.target.encode("ascii"),
                "sni_hostname": url.host,
                "timeout": {**seconds, "write": seconds["read"], "pool": seconds["connect"]},
            },
        )
        state = self._backend.state
        with _translated(state):
            response = await self._transport.handle_async_request(request)
        try:
            head = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw)
            if len(head) > self._limits.header_count:
                raise WireFault(FetchCode.HEADERS_TOO_LARGE)
            async with aclosing(_chunks(response, state)) as chunks:
                yield WireResponse(response.status_code, head, chunks)
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._transport.aclose()


async def _chunks(response: httpx.Response, state: _State) -> AsyncGenerator[bytes, None]:
    with _translated(state):
        async for chunk in response.aiter_raw():
            yield chunk


@dataclass(slots=True)
class _State:
    """What the streams noticed, for telling one broken exchange from another."""

    ended: bool = False


class _TlsFailed(httpcore.ConnectError):
    """The certificate or the handshake is not right."""


class _HeadTooLarge(httpcore.RemoteProtocolError):
    """The head of a response does not end."""


# The first that fits; what httpcore says in the words of sockets is said here in ours.
_FAULTS: Final = (
    (_TlsFailed, FetchCode.TLS_FAILED),
    (_HeadTooLarge, FetchCode.HEADERS_TOO_LARGE),
    (httpcore.ConnectTimeout, FetchCode.CONNECT_TIMEOUT),
    (httpcore.ConnectError, FetchCode.CONNECT_FAILED),
    (httpcore.TimeoutException, FetchCode.READ_TIMEOUT),
    (httpcore.NetworkError, FetchCode.CUT_SHORT),
    (httpcore.ProtocolError, FetchCode.PROTOCOL),
)


@contextmanager
def _translated(state: _State) -> Iterator[None]:
    try:
        yield
    except (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError) as exc:
        code = next(code for kind, code in _FAULTS if isinstance(exc, kind))
        # An end in the middle of a message is reported as a broken protocol.
        raise WireFault(FetchCode.CUT_SHORT if code is FetchCode.PROTOCOL and state.ended else code) from exc


class _PinnedTransport(httpx.AsyncBaseTransport):
    """httpx's transport port over httpcore's pool, which takes our way to connect; no proxies, no cookies."""

    def __init__(self, backend: httpcore.AsyncNetworkBackend, tls: ssl.SSLContext) -> None:
        self._pool = httpcore.AsyncConnectionPool(ssl_context=tls, network_backend=backend, http2=False, retries=0)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        assert isinstance(request.stream, httpx.AsyncByteStream)  # noqa: S101  always so for bytes; narrows the type
        sent = httpcore.Request(
            request.method,
            httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.extensions["target"],
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        got = await self._pool.handle_async_request(sent)
        return httpx.Response(got.status, headers=got.headers, stream=_Body(got), extensions=got.extensions)

    async def aclose(self) -> None:
        await self._pool.aclose()


class _Body(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._response.aiter_stream():
            yield part

    async def aclose(self) -> None:
        await self._response.aclose()


class _PinnedBackend(httpcore.AsyncNetworkBackend):
    """INVARIANT of the wire: no name reaches a resolver from here, and no address is dialled that was not pinned."""

    def __init__(self, dialler: Dialler, limits: WireLimits) -> None:
        self.pins: dict[str, tuple[str, ...]] = {}
        self.state = _State()
        self._dialler = dialler
        self._limits = limits

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        addresses = self.pins.get(host, ())[:_TRIED]
        if not addresses:
            raise DestinationForbidden("a connection to a host that was not judged")
        share_s = (timeout or self._limits.connect_ms / 1000) / len(addresses)
        failed: httpcore.NetworkError | httpcore.TimeoutException = httpcore.ConnectError()
        for address in addresses:
            try:
                stream = await self._dialler.dial(address, port, share_s)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as exc:
                failed = exc
                continue
            self.state.ended = False
            return _WatchedStream(stream, self.state, self._limits)
        raise failed

    async def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore.AsyncNetworkStream:
        raise OperationForbidden("evidence does not come from a local socket")

    async def sleep(self, seconds: float) -> None:
        raise OperationForbidden("the wire does not wait")


class _WatchedStream(httpcore.AsyncNetworkStream):
    """A connection that counts the head of each response and remembers that the peer has gone."""

    def __init__(self, inner: httpcore.AsyncNetworkStream, state: _State, limits: WireLimits) -> None:
        self._inner = inner
        self._state = state
        self._limits = limits
        self._head: int | None = None
        self._tail = b""

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = await self._inner.read(max_bytes, timeout)
        self._state.ended = not data
        if self._head is not None:
            window = self._tail + data
            end = window.find(b"\r\n\r\n")
            self._head += len(data) if end < 0 else end - len(self._tail)
            if self._head > self._limits.header_bytes:
                raise _HeadTooLarge("the head does not end")
            self._tail = window[-3:]
            if end >= 0:
                self._head = None
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._head, self._tail = 0, b""
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        try:
            inner = await self._inner.start_tls(ssl_context, server_hostname, timeout)
        except httpcore.ConnectError as exc:
            await self._inner.aclose()
            raise _TlsFailed("the handshake failed") from exc
        except BaseException:
            # Nobody else knows of this connection yet: cut in the middle of the handshake, it would stay open.
            await self._inner.aclose()
            raise
        return _WatchedStream(inner, self._state, self._limits)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
