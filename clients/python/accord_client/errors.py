"""What can go wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


class AccordError(Exception):
    """The coordinator refused a request. `name` is one of docs/errors."""

    def __init__(self, name: str, message: str, status: int, details: Any = None) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name
        self.message = message
        self.status = status
        self.details = details


@dataclass(frozen=True)
class Difference:
    """A change of a schema since the types were generated."""

    schema: Literal["input", "output"]
    path: str
    change: str

    def __str__(self) -> str:
        return f"{self.schema} {self.path}: {self.change}"


class ContractChanged(AccordError):
    """The agent's schemas are not those that the types were generated from. Run `accord types` again.

    `differences` is None if the coordinator does not know the contract of these types."""

    def __init__(self, name: str, message: str, status: int, details: Any = None) -> None:
        super().__init__(name, message, status, details)
        known: dict[str, Any] = details or {}
        listed: list[dict[str, Any]] | None = known.get("differences")
        self.differences: list[Difference] | None = None
        if listed is not None:
            self.differences = [Difference(each["schema"], each["path"], each["change"]) for each in listed]


class RunFailed(Exception):
    """The run has no result: it failed or was stopped. `run` is the run as the API shows it.

    `validation_errors` says what was wrong with the answer that came closest, one line for each field."""

    def __init__(self, run: dict[str, Any]) -> None:
        error: dict[str, Any] = run.get("error") or {}
        self.run = run
        self.run_id: str = run["run_id"]
        self.type: str = error.get("type") or run["status"]
        self.message: str = error.get("message") or f"the run is {run['status']}"
        self.validation_errors: list[str] = error.get("validation_errors") or []
        text = f"{self.run_id}: {self.type}: {self.message}"
        if self.validation_errors and self.validation_errors[0] not in self.message:
            text += f": {self.validation_errors[0]}"
        super().__init__(text)
