"""Client for Accord's HTTP API, typed by what `accord types --lang python` writes."""

from .async_client import AsyncClient
from .client import Client
from .core import Agent, Run
from .errors import AccordError, ContractChanged, Difference, RunFailed

__all__ = [
    "AccordError",
    "Agent",
    "AsyncClient",
    "Client",
    "ContractChanged",
    "Difference",
    "Run",
    "RunFailed",
]
