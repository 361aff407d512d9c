"""LangChain: a tool is called, its result goes on in the same run, and what cannot be called is an error."""

import os

import openai
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI


@tool
def weather(city: str) -> str:
    """Looks up the weather."""
    return f"sun in {city}"


def model(name: str) -> ChatOpenAI:
    return ChatOpenAI(model=name, base_url=os.environ["ACCORD_URL"] + "/v1", api_key="unused")


bound = model("assistant").bind_tools([weather])
messages = [HumanMessage('call weather {"city": "Bonn"} and call weather {"city": "Ulm"}')]
called = bound.invoke(messages)
assert [call["args"]["city"] for call in called.tool_calls] == ["Bonn", "Ulm"], called
messages += [called, *(weather.invoke(call) for call in called.tool_calls)]
told = bound.invoke(messages)
assert told.content == "You heard sun in Bonn, sun in Ulm.", told
assert told.response_metadata["id"] == called.response_metadata["id"], "the same run"

again = [*messages[:-1], ToolMessage("snow", tool_call_id=called.tool_calls[1]["id"])]
try:
    bound.invoke(again)
    raise SystemExit("expected an error")
except openai.BadRequestError as error:
    assert "answered before, with another result" in error.message, error

try:
    model("command").bind_tools([weather]).invoke("Hi")
    raise SystemExit("expected an error")
except openai.BadRequestError as error:
    assert "cannot call tools of the caller" in error.message, error
