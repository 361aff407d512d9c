"""One HTTP/1.1 request on asyncio's streams."""

from __future__ import annotations

import asyncio
import ssl
from http.client import HTTPException
from types import TracebackType
from typing import AsyncIterator, Mapping
from urllib.parse import urlsplit

from .core import refusal

# An event has at most as many bytes as a result, and a line of it is one piece.
LONGEST_LINE = 64 * 1024 * 1024


class Exchange:
    """A request and its response, as an asynchronous context. An error of the coordinator is raised on entry."""

    def __init__(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, silence: float
    ) -> None:
        self._url, self._silence = urlsplit(url), silence
        path = (self._url.path or "/") + ("?" + self._url.query if self._url.query else "")
        host = self._url.netloc.rpartition("@")[2]
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if body is not None or method != "GET":
            lines.append(f"Content-Length: {len(body or b'')}")
        if any("\r" in line or "\n" in line for line in lines):
            raise ValueError("a header must be one line")
        self._sent = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b"")

    async def __aenter__(self) -> Exchange:
        secure = ssl.create_default_context() if self._url.scheme == "https" else None
        port = self._url.port or (443 if secure else 80)
        self._reader, self._writer = await asyncio.wait_for(
            asyncio.open_connection(self._url.hostname, port, ssl=secure, limit=LONGEST_LINE), self._silence
        )
        try:
            self._writer.write(self._sent)
            await self._writer.drain()
            status, self._headers = await self._head()
            if status >= 300:
                raise refusal(status, await self.read())
        except BaseException:
            self._writer.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()

    async def read(self) -> bytes:
        return b"".join([piece async for piece in self._pieces()])

    async def lines(self) -> AsyncIterator[bytes]:
        """The lines of the body as they come."""
        rest = b""
        async for piece in self._pieces():
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                yield line

    async def _line(self) -> bytes:
        try:
            line = await asyncio.wait_for(self._reader.readline(), self._silence)
        except asyncio.TimeoutError:
            raise TimeoutError("the coordinator is silent") from None
        if not line.endswith(b"\n"):
            raise ConnectionError("the connection was lost")
        return line.strip()

    async def _head(self) -> tuple[int, dict[str, str]]:
        status = (await self._line()).split(b" ", 2)
        if len(status) < 2 or not status[0].startswith(b"HTTP/1.") or not status[1].isdigit():
            raise HTTPException("expected HTTP/1.1, got something else; check the URL")
        headers: dict[str, str] = {}
        while line := await self._line():
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.strip().lower()] = value.strip()
        return int(status[1]), headers

    async def _exactly(self, length: int) -> bytes:
        return await asyncio.wait_for(self._reader.readexactly(length), self._silence)

    async def _pieces(self) -> AsyncIterator[bytes]:
        if self._headers.get("transfer-encoding", "").lower() == "chunked":
            while length := int((await self._line()).split(b";")[0], 16):
                yield await self._exactly(length)
                await self._line()
        elif "content-length" in self._headers:
            yield await self._exactly(int(self._headers["content-length"]))
        else:
            yield await self._reader.read()
