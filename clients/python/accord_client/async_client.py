"""Runs agents and waits for their results, for asyncio."""

from __future__ import annotations

import asyncio
import json
import os
from typing import Any, AsyncIterator

from . import core, http
from .core import FINAL_EVENTS, LOST, Agent, EventReader, Input, Output, Request, Run, Server, Steps, T


class AsyncClient:
    """A coordinator, as `Client` is one, for asyncio. Calls that are cancelled leave their run alone; `stop` ends it.

    Connections are made directly, without the proxies of the environment."""

    def __init__(self, url: str = "http://127.0.0.1:8765", key: str | None = None) -> None:
        self._server = Server(url, key or os.environ.get("ACCORD_KEY"))

    async def run(
        self,
        agent: Agent[Input, Output],
        input: Input,
        *,
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> Output:
        """Runs an agent and returns its result, or raises RunFailed."""
        return await self.wait(await self.start(agent, input, idempotency_key=idempotency_key), timeout=timeout)

    async def start(
        self, agent: Agent[Input, Output], input: Input, *, idempotency_key: str | None = None
    ) -> Run[Output]:
        """Creates a run. Raises ContractChanged if the agent has other schemas than these types."""
        return await self._do(core.start(agent, input, idempotency_key))

    async def resume(
        self, agent: Agent[Any, Output], session_id: str, prompt: str, *, idempotency_key: str | None = None
    ) -> Run[Output]:
        """Creates a run that continues a session of this agent."""
        return await self._do(core.resume(agent, session_id, prompt, idempotency_key))

    async def wait(self, run: Run[Output], *, timeout: float | None = None) -> Output:
        """Waits for the result of a run. Raises TimeoutError after `timeout` seconds; the run continues."""
        return await self._do(core.wait(run, timeout))

    async def events(self, run: Run[Any]) -> AsyncIterator[dict[str, Any]]:
        """All events of a run from its beginning, until it is finished. A lost connection is opened again."""
        reader = EventReader()
        while True:
            async with self._open(core.events(run, reader.last)) as stream:
                try:
                    async for line in stream.lines():
                        event = reader.read(line)
                        if event is not None:
                            yield event
                            if event["type"] in FINAL_EVENTS:
                                return
                except LOST:
                    pass
            reader.reconnect()

    async def stop(self, run: Run[Any]) -> None:
        """Stops a run."""
        await self._do(core.stop(run))

    async def _do(self, steps: Steps[T]) -> T:
        try:
            request = next(steps)
            while True:
                request = steps.send(await self._answer(request))
        except StopIteration as end:
            return end.value

    async def _answer(self, request: Request) -> Any:
        async def whole() -> bytes:
            async with self._open(request) as response:
                return await response.read()

        try:
            return json.loads(await asyncio.wait_for(whole(), request.timeout))
        except asyncio.TimeoutError:
            raise TimeoutError(f"no answer to {request.method} {request.path}") from None

    def _open(self, request: Request) -> http.Exchange:
        address, headers = self._server.address(request), self._server.headers(request)
        return http.Exchange(request.method, address, headers, core.body(request), request.timeout)
