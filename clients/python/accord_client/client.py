"""Runs agents and waits for their results."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, Generic, Iterator, Literal, Protocol, TypeVar

from .errors import RunFailed
from .http import SILENCE_SECONDS, Http, server_sent_events

T = TypeVar("T")
Input = TypeVar("Input")
Output = TypeVar("Output")

# How long one request waits; `wait` asks again. Proxies often drop what is silent for a minute.
WAIT_SECONDS = 25

FINAL_EVENTS = ("run.completed", "run.failed", "run.stopped")


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


class Client:
    """A coordinator. The key is sent with every request; without one, ACCORD_KEY is used if it is set."""

    def __init__(self, url: str = "http://127.0.0.1:8765", key: str | None = None) -> None:
        self._http = Http(url, key or os.environ.get("ACCORD_KEY"))

    def run(
        self,
        agent: Agent[Input, Output],
        input: Input,
        *,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> Output:
        """Runs an agent and returns its result, or raises RunFailed."""
        return self.wait(self.start(agent, input, idempotency_key=idempotency_key), timeout=timeout)

    def start(
        self, agent: Agent[Input, Output], input: Input, *, idempotency_key: str | None = None
    ) -> Run[Output]:
        """Creates a run. Raises ContractChanged if the agent has other schemas than these types."""
        parameters = agent.input.dump_python(input, mode="json", by_alias=True, exclude_unset=True)
        body = {"agent_name": agent.name, "parameters": parameters}
        return self._create(agent, body, idempotency_key)

    def resume(
        self, agent: Agent[Any, Output], session_id: str, prompt: str, *, idempotency_key: str | None = None
    ) -> Run[Output]:
        """Creates a run that continues a session of this agent."""
        return self._create(agent, {"session_id": session_id, "prompt": prompt}, idempotency_key)

    def wait(self, run: Run[Output], *, timeout: float | None = None) -> Output:
        """Waits for the result of a run. Raises TimeoutError after `timeout` seconds; the run continues."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = WAIT_SECONDS if deadline is None else min(WAIT_SECONDS, deadline - time.monotonic())
            seconds = max(0, round(left))
            view = self._http.json(
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

    def events(self, run: Run[Any]) -> Iterator[dict[str, Any]]:
        """All events of a run from its beginning, until it is finished. A lost connection is opened again."""
        last = "0"
        while True:
            query = {"run_id": run.id, "last_event_id": last}
            with self._http.open("GET", "/events", query=query, timeout=SILENCE_SECONDS) as stream:
                try:
                    for last, event in server_sent_events(stream):
                        yield event
                        if event["type"] in FINAL_EVENTS:
                            return
                except (TimeoutError, ConnectionError, HTTPException):
                    # The connection is lost, the run is not: the next request continues after the last event.
                    pass

    def stop(self, run: Run[Any]) -> None:
        """Stops a run."""
        self._http.json("POST", f"/runs/{run.id}/stop")

    def _create(
        self, agent: Agent[Any, Output], body: dict[str, Any], idempotency_key: str | None
    ) -> Run[Output]:
        headers = {"Accord-Contract": agent.contract, "Idempotency-Key": idempotency_key}
        made = self._http.json("POST", "/runs", body=body, headers=headers)
        return Run(id=made["run_id"], session_id=made["session_id"], output=agent.output)
