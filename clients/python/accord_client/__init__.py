"""Client for Accord's HTTP API, typed by what `accord types --lang python` writes."""

from .client import Agent, Client, Run
from .errors import AccordError, ContractChanged, Difference, RunFailed

__all__ = ["AccordError", "Agent", "Client", "ContractChanged", "Difference", "Run", "RunFailed"]
