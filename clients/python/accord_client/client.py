"""Runs agents and waits for their results. Every call blocks; `AsyncClient` is the same for asyncio."""

from __future__ import annotations

import json
import os
from typing import IO, Any, Iterator
from urllib.error import HTTPError
from urllib.request import Request as UrlRequest
from urllib.request import urlopen

from . import core
from .core import FINAL_EVENTS, LOST, Agent, EventReader, Input, Output, Request, Run, Server, Steps, T


class Client:
    """A coordinator. The key is sent with every request; without one, ACCORD_KEY is used if it is set."""

    def __init__(self, url: str = "http://127.0.0.1:8765", key: str | None = None) -> None:
        self._server = Server(url, key or os.environ.get("ACCORD_KEY"))

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
        return self._do(core.start(agent, input, idempotency_key))

    def resume(
        self, agent: Agent[Any, Output], session_id: str, prompt: str, *, idempotency_key: str | None = None
    ) -> Run[Output]:
        """Creates a run that continues a session of this agent."""
        return self._do(core.resume(agent, session_id, prompt, idempotency_key))

    def wait(self, run: Run[Output], *, timeout: float | None = None) -> Output:
        """Waits for the result of a run. Raises TimeoutError after `timeout` seconds; the run continues."""
        return self._do(core.wait(run, timeout))

    def events(self, run: Run[Any]) -> Iterator[dict[str, Any]]:
        """All events of a run from its beginning, until it is finished. A lost connection is opened again."""
        reader = EventReader()
        while True:
            with self._open(core.events(run, reader.last)) as stream:
                try:
                    for line in stream:
                        event = reader.read(line)
                        if event is not None:
                            yield event
                            if event["type"] in FINAL_EVENTS:
                                return
                except LOST:
                    pass
            reader.reconnect()

    def stop(self, run: Run[Any]) -> None:
        """Stops a run."""
        self._do(core.stop(run))

    def _do(self, steps: Steps[T]) -> T:
        try:
            request = next(steps)
            while True:
                with self._open(request) as response:
                    answer = json.load(response)
                request = steps.send(answer)
        except StopIteration as end:
            return end.value

    def _open(self, request: Request) -> IO[bytes]:
        sent = UrlRequest(
            self._server.address(request),
            data=core.body(request),
            method=request.method,
            headers=self._server.headers(request),
        )
        try:
            return urlopen(sent, timeout=request.timeout)
        except HTTPError as error:
            with error:
                raise core.refusal(error.code, error.read()) from None
