"""What can go wrong."""

from __future__ import annotations

from typing import Any


class AccordError(Exception):
    """The coordinator refused a request. `name` is one of docs/errors."""

    def __init__(self, name: str, message: str, status: int, details: Any = None) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message
        self.status = status
        self.details = details


class ContractChanged(AccordError):
    """The agent's schemas are not those that the types were generated from. Run `accord types` again."""


class RunFailed(Exception):
    """The run has no result: it failed or was stopped. `run` is the run as the API shows it."""

    def __init__(self, run: dict[str, Any]) -> None:
        error: dict[str, Any] = run.get("error") or {}
        self.run = run
        self.run_id: str = run["run_id"]
        self.type: str = error.get("type") or run["status"]
        self.message: str = error.get("message") or f"the run is {run['status']}"
        super().__init__(f"{self.run_id}: {self.type}: {self.message}")
