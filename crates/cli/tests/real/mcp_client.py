"""The official Python MCP client against Accord.

Usage: mcp_client.py stdio ACCORD FOLDER | http URL [KEY]

Needs an agent `triage` with an output contract, an agent `counter` with a parameters_schema, an agent `clerk` that is a person with the same contract
as `triage`, and a workflow `sorting`. Prints one JSON object with what the client saw; a result that does not conform to its tool's outputSchema is an exception of the client's own.
"""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult


def server():
    if sys.argv[1] == "stdio":
        return StdioServerParameters(
            command=sys.argv[2], args=["mcp", "--dir", sys.argv[3]], env=dict(os.environ)
        )
    headers = {"Authorization": f"Bearer {sys.argv[3]}"} if len(sys.argv) > 3 else {}
    return streamable_http_client(sys.argv[2], http_client=httpx2.AsyncClient(headers=headers, timeout=60))


def text(result):
    return "".join(part.text for part in result.content)


async def look(mode):
    told = []

    async def progress(step, total, message):
        told.append(message)

    asked = []

    async def elicitation(context, params):
        asked.append(params.message)
        return ElicitResult(action="accept", content={"severity": "low"})

    async with Client(server(), mode=mode, elicitation_callback=elicitation) as client:
        tools = (await client.list_tools()).tools
        started = await client.call_tool(
            "start_agent_session",
            {"agent_name": "triage", "prompt": "Nobody can log in"},
            progress_callback=progress,
        )
        session = {"session_id": started.structured_content["session_id"]}
        polled = await client.call_tool(
            "start_agent_session",
            {"agent_name": "triage", "prompt": "Nobody can log in", "mode": "async_poll"},
        )
        unknown = await client.call_tool("start_agent_session", {"agent_name": "triag", "prompt": "x"})
        wrong = await client.call_tool("start_agent_session", {"agent_name": "counter", "parameters": {"text": 5}})
        workflow = await client.call_tool("run_workflow", {"name": "sorting", "input": {"ticket": "Help"}})
        own = await client.call_tool("agent__triage", {"prompt": "Nobody can log in"})
        person = await client.call_tool("agent__clerk", {"prompt": "Nobody can log in"})
        return {
            "own": own.structured_content,
            "person": {"is_error": person.is_error, "text": text(person), "result": person.structured_content},
            "asked": len(asked),
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools],
            "with_output_schema": all(tool.output_schema for tool in tools if "__" not in tool.name),
            "started": started.structured_content,
            "same_as_text": json.loads(text(started)) == started.structured_content,
            "progress": len(told),
            "status": (await client.call_tool("get_agent_session_status", session)).structured_content,
            "result": (await client.call_tool("get_agent_session_result", session)).structured_content,
            "agents": (await client.call_tool("list_agents", {})).structured_content,
            "sessions": len((await client.call_tool("list_agent_sessions", {})).structured_content["sessions"]),
            "workflow": workflow.structured_content,
            "polled": polled.structured_content,
            "unknown": {"is_error": unknown.is_error, "text": text(unknown)},
            "wrong": {"is_error": wrong.is_error, "text": text(wrong)},
        }


async def main():
    seen = {mode: await look(mode) for mode in ("auto", "legacy")}
    print(json.dumps(seen))


asyncio.run(main())
