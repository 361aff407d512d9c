"""The Python client against a running coordinator. Usage: use.py URL SCHEMAS, or use.py URL changed."""

import asyncio
import json
import sys
from pathlib import Path

import agents
from accord_client import AccordError, AsyncClient, Client, ContractChanged, Difference, RunFailed
from agents import InvoiceReaderInput, WordCountInput, WordCountOutput, word_count

client = Client(sys.argv[1])
text = WordCountInput(text="one two three")

if sys.argv[2] == "changed":
    try:
        client.run(word_count, text)
    except ContractChanged as error:
        assert error.status == 409 and error.details["changed"] == ["output"], error.details
        expected = [
            Difference("output", "$.words", "removed"),
            Difference("output", "$.word_total", "added, required"),
        ]
        assert error.differences == expected and str(expected[0]) in str(error), error
        sys.exit(0)
    raise AssertionError("the call was accepted")

counted: WordCountOutput = client.run(word_count, text, timeout=60)
number: int = counted.words
assert number == 3

run = client.start(word_count, text, idempotency_key="once")
assert client.start(word_count, text, idempotency_key="once").id == run.id
events = [event["type"] for event in client.events(run)]
assert events[-1] == "run.completed" and "result" in events, events
assert client.wait(run) == counted

try:
    client.run(agents.invoice_reader, InvoiceReaderInput(prompt="A letter that was not recorded."))
except RunFailed as error:
    assert error.type and error.run["status"] == "failed", error
else:
    raise AssertionError("the run has a result")

try:
    client.resume(word_count, "ses_0", "again")
except AccordError as error:
    assert error.name == "SessionNotFound", error
else:
    raise AssertionError("the session exists")

# Through the coordinator and back, with every type.
for name in ("shapes", "names", "tree", "nullable", "prices"):
    agent = getattr(agents, name)
    for value in json.loads((Path(sys.argv[2]) / f"{name}.json").read_text())["values"]:
        given = agent.input.validate_python(value)
        assert agent.output.dump_python(
            client.run(agent, given, timeout=60), mode="json", by_alias=True, exclude_unset=True
        ) == value, (name, value)


async def concurrently() -> None:
    """The same with asyncio: three runs at once, events, a failed run and a call that is cancelled."""
    client = AsyncClient(sys.argv[1])
    texts = ["one", "one two", "one two three"]
    inputs = [WordCountInput(text=text) for text in texts]
    results = await asyncio.gather(*[client.run(word_count, each, timeout=60) for each in inputs])
    numbers: list[int] = [result.words for result in results]
    assert numbers == [1, 2, 3], numbers
    run = await client.start(word_count, text, idempotency_key="once")
    assert [event["type"] async for event in client.events(run)] == events
    assert await client.wait(run) == counted
    try:
        await client.run(agents.invoice_reader, InvoiceReaderInput(prompt="A letter that was not recorded."))
    except RunFailed as error:
        assert error.type, error
    else:
        raise AssertionError("the run has a result")
    try:
        await client.resume(word_count, "ses_0", "again")
    except AccordError as error:
        assert error.name == "SessionNotFound", error
    else:
        raise AssertionError("the session exists")
    waiting = asyncio.create_task(client.wait(run))
    await asyncio.sleep(0)
    waiting.cancel()
    assert isinstance((await asyncio.gather(waiting, return_exceptions=True))[0], asyncio.CancelledError)


asyncio.run(concurrently())
print("python: client ok")
