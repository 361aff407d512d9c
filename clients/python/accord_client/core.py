"""What the client does, without sending anything.

Each operation is a generator: it yields the requests it needs, gets their answers, and returns its result. So the client that blocks
and the one for asyncio differ only in how a request is sent.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Generator, Generic, Literal, Mapping, Protocol, TypeVar
from urllib.parse import urlencode

from .errors import AccordError, ContractChanged, RunFailed

T = TypeVar("T")
Input = TypeVar("Input")
Output = TypeVar("Output")

# How long one request waits; `wait` asks again. Proxies often drop what is silent for a minute.
WAIT_SECONDS = 25

# The coordinator answers a waiting request in time; this is for networks that lose connections without a word.
SILENCE_SECONDS = 60.0

FINAL_EVENTS = ("run.completed", "run.failed", "run.stopped")

# What a lost connection raises. The run is not lost with it.
LOST = (TimeoutError, ConnectionError, HTTPException, EOFError)


class Adapter(Protocol[T]):
    """The part of Pydantic's TypeAdapter that the client uses."""

    def validate_python(self, object: Any, /) -> T: ...

    def dump_python(self, instance: T, /, *, mode: Literal["json"], by_alias: bool, exclude_unset: bool) -> Any: ...


class Agent(Protocol[Input, Output]):
    """An agent with its types, as `accord types --lang python` writes it."""

    @property
    def name(self) -> str: ...
    @property
    def contract(self) -> str: ...
    @property
    def input(self) -> Adapter[Input]: ...
    @property
    def output(self) -> Adapter[Output]: ...


@dataclass(frozen=True)
class Run(Generic[Output]):
    """A run that was created."""

    id: str
    session_id: str
    output: Adapter[Output]


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: Mapping[str, str | int] | None = None
    body: Any = None
    headers: Mapping[str, str | None] | None = None
    timeout: float = SILENCE_SECONDS


Steps = Generator[Request, Any, T]


class Server:
    """Where requests go, and the headers that all of them have."""

    def __init__(self, url: str, key: str | None) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    def address(self, request: Request) -> str:
        return self._url + request.path + ("?" + urlencode(request.query) if request.query else "")

    def headers(self, request: Request) -> dict[str, str]:
        own = {name: value for name, value in (request.headers or {}).items() if value is not None}
        content = {} if request.body is None else {"Content-Type": "application/json"}
        return {**self._headers, **content, **own}


def body(request: Request) -> bytes | None:
    return None if request.body is None else json.dumps(request.body).encode()


def start(agent: Agent[Input, Output], input: Input, idempotency_key: str | None) -> Steps[Run[Output]]:
    parameters = agent.input.dump_python(input, mode="json", by_alias=True, exclude_unset=True)
    return _create(agent, {"agent_name": agent.name, "parameters": parameters}, idempotency_key)


def resume(
    agent: Agent[Any, Output], session_id: str, prompt: str, idempotency_key: str | None
) -> Steps[Run[Output]]:
    return _create(agent, {"session_id": session_id, "prompt": prompt}, idempotency_key)


def _create(
    agent: Agent[Any, Output], body: dict[str, Any], idempotency_key: str | None
) -> Steps[Run[Output]]:
    headers = {"Accord-Contract": agent.contract, "Idempotency-Key": idempotency_key}
    made = yield Request("POST", "/runs", body=body, headers=headers)
    return Run(id=made["run_id"], session_id=made["session_id"], output=agent.output)


def wait(run: Run[Output], timeout: float | None) -> Steps[Output]:
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        left = WAIT_SECONDS if deadline is None else min(WAIT_SECONDS, deadline - time.monotonic())
        seconds = max(0, round(left))
        view = yield Request(
            "GET", f"/runs/{run.id}", query={"wait": seconds}, timeout=seconds + SILENCE_SECONDS
        )
        if view["status"] == "completed":
            result: dict[str, Any] = view["result"]
            value = result.get("result_data")
            return run.output.validate_python(result.get("result_text") if value is None else value)
        if view.get("finished_at"):
            raise RunFailed(view)
        if deadline is not None and time.monotonic() >= deadline:
            raise TimeoutError(f"{run.id} is {view['status']} after {timeout} seconds")


def stop(run: Run[Any]) -> Steps[None]:
    yield Request("POST", f"/runs/{run.id}/stop")


def events(run: Run[Any], last: str) -> Request:
    """The request for the events of a run after this one."""
    return Request("GET", "/events", query={"run_id": run.id, "last_event_id": last})


class EventReader:
    """Reads server-sent events line by line. The coordinator writes data in one line."""

    def __init__(self) -> None:
        # Of the newest complete event.
        self.last = "0"
        self._id, self._data = "0", ""

    def read(self, raw: bytes) -> dict[str, Any] | None:
        """The event that ends with this line, if one does."""
        line = raw.decode().rstrip("\r\n")
        if line.startswith("id:"):
            self._id = line[3:].strip()
        elif line.startswith("data:"):
            self._data = line[5:].strip()
        elif not line and self._data:
            event: dict[str, Any] = json.loads(self._data)
            self.last, self._data = self._id, ""
            return event
        return None

    def reconnect(self) -> None:
        """Forgets half an event: the connection was lost."""
        self._data = ""


def refusal(status: int, body: bytes) -> AccordError:
    try:
        said = json.loads(body)
        name, message = said["error"], said["message"]
    except (ValueError, KeyError, TypeError):
        return AccordError("UnexpectedResponse", body.decode("utf-8", "replace")[:500], status)
    kind = ContractChanged if name == "ContractChanged" else AccordError
    return kind(name, message, status, said.get("details"))
