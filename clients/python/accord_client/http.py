"""Requests, on the standard library alone."""

from __future__ import annotations

import json
from typing import IO, Any, Iterator, Mapping
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from .errors import AccordError, ContractChanged

# The coordinator answers a waiting request in time; this is for networks that lose connections without a word.
SILENCE_SECONDS = 60.0


class Http:
    def __init__(self, url: str, key: str | None) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    def open(
        self,
        method: str,
        path: str,
        query: Mapping[str, str | int] | None = None,
        body: Any = None,
        headers: Mapping[str, str | None] | None = None,
        timeout: float = SILENCE_SECONDS,
    ) -> IO[bytes]:
        address = self._url + path + ("?" + urlencode(query) if query else "")
        data = None if body is None else json.dumps(body).encode()
        request = Request(address, data=data, method=method, headers=self._headers)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        for name, value in (headers or {}).items():
            if value is not None:
                request.add_header(name, value)
        try:
            return urlopen(request, timeout=timeout)
        except HTTPError as error:
            with error:
                raise refusal(error.code, error.read()) from None

    def json(self, method: str, path: str, **arguments: Any) -> Any:
        with self.open(method, path, **arguments) as response:
            return json.load(response)


def refusal(status: int, body: bytes) -> AccordError:
    try:
        said = json.loads(body)
        name, message = said["error"], said["message"]
    except (ValueError, KeyError, TypeError):
        return AccordError("UnexpectedResponse", body.decode("utf-8", "replace")[:500], status)
    kind = ContractChanged if name == "ContractChanged" else AccordError
    return kind(name, message, status, said.get("details"))


def server_sent_events(stream: IO[bytes]) -> Iterator[tuple[str, Any]]:
    """The id and the data of each event. The coordinator writes data in one line."""
    identifier, data = "", None
    for raw in stream:
        line = raw.decode().rstrip("\r\n")
        if line.startswith("id:"):
            identifier = line[3:].strip()
        elif line.startswith("data:"):
            data = line[5:].strip()
        elif not line and data is not None:
            yield identifier, json.loads(data)
            data = None
