"""Starts the agent server of the guide's editor settings, as an editor does, with the official Python client of ACP."""

import asyncio
import json
import os
import pathlib

from acp import PROTOCOL_VERSION, spawn_agent_process, text_block

SETTINGS = json.loads(pathlib.Path(__file__).with_name("zed.json").read_text())
AGENT = SETTINGS["agent_servers"]["sentiment"]


class Editor:
    def __init__(self) -> None:
        self.answer = ""

    async def session_update(self, session_id: str, update, **_) -> None:
        if update.session_update == "agent_message_chunk":
            self.answer += update.content.text


async def main() -> None:
    editor = Editor()
    async with spawn_agent_process(editor, AGENT["command"], *AGENT["args"], env=os.environ) as (agent, _):
        await agent.initialize(protocol_version=PROTOCOL_VERSION)
        session = await agent.new_session(cwd=os.getcwd(), mcp_servers=[])
        done = await agent.prompt(session_id=session.session_id, prompt=[text_block("I like it")])
        assert done.stop_reason == "end_turn", done
    assert '"label": "positive"' in editor.answer, editor.answer


asyncio.run(main())
