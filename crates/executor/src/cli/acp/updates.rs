//! What an agent tells during a turn: parts of messages, and tool calls.

use std::collections::{BTreeMap, BTreeSet};

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, Meta, SessionUpdate, ToolCall, ToolCallContent, ToolCallStatus,
    ToolCallUpdateFields,
};
use serde_json::Value;

use crate::cassette::Redactor;
use crate::event::Events;

use super::super::transcript::{Item, Transcript};
use super::tool::Tool;

/// The updates of a turn so far. Messages come in parts without an end: the next message or tool call ends one.
#[derive(Debug, Default)]
pub(super) struct Updates {
    transcript: Transcript,
    message: String,
    message_id: Option<String>,
    /// Calls that are not over, by their ids.
    calls: BTreeMap<String, Call>,
    /// Calls that are over: some agents go on to decorate them.
    over: BTreeSet<String>,
    /// What the whole session has cost, where the agent says so.
    pub(super) cost_usd: Option<f64>,
}

#[derive(Debug, Default)]
struct Call {
    tool: Tool,
    arguments: Value,
    output: String,
    has_begun: bool,
}

impl Updates {
    /// How many rounds of tools there were.
    pub(super) fn steps(&self) -> u32 {
        self.transcript.steps
    }

    /// A tool as it is known by the updates so far, with its arguments.
    pub(super) fn call(&self, id: &str) -> Option<(&Tool, &Value)> {
        self.calls.get(id).map(|call| (&call.tool, &call.arguments))
    }

    /// The turn is over.
    pub(super) async fn end(&mut self, events: &Events, redactor: &Redactor) -> Transcript {
        self.end_message(events, redactor).await;
        std::mem::take(&mut self.transcript)
    }

    pub(super) async fn take(&mut self, update: SessionUpdate, events: &Events, redactor: &Redactor) {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => self.says(chunk, events, redactor).await,
            SessionUpdate::ToolCall(call) => {
                let id = call.tool_call_id.to_string();
                let meta = call.meta.clone();
                self.calls(id, fields(call), meta.as_ref(), events, redactor).await;
            }
            SessionUpdate::ToolCallUpdate(update) => {
                let id = update.tool_call_id.to_string();
                self.calls(id, update.fields, update.meta.as_ref(), events, redactor).await;
            }
            SessionUpdate::UsageUpdate(update) => {
                let dollars = update.cost.filter(|cost| cost.currency == "USD");
                self.cost_usd = dollars.map(|cost| cost.amount).or(self.cost_usd);
            }
            _ => {}
        }
    }

    async fn says(&mut self, chunk: ContentChunk, events: &Events, redactor: &Redactor) {
        let ContentBlock::Text(part) = chunk.content else { return };
        let id = chunk.message_id.map(|id| id.to_string());
        if id != self.message_id {
            self.end_message(events, redactor).await;
            self.message_id = id;
        }
        self.message.push_str(&part.text);
        self.transcript.says(&part.text, events, redactor);
    }

    async fn end_message(&mut self, events: &Events, redactor: &Redactor) {
        if !self.message.is_empty() {
            let text = std::mem::take(&mut self.message);
            self.transcript.ends(Item::Message(text), events, redactor).await;
        }
    }

    async fn calls(
        &mut self,
        id: String,
        fields: ToolCallUpdateFields,
        meta: Option<&Meta>,
        events: &Events,
        redactor: &Redactor,
    ) {
        if self.over.contains(&id) {
            return;
        }
        self.end_message(events, redactor).await;
        if self.calls.is_empty() {
            self.transcript.step();
        }
        let call = self.calls.entry(id.clone()).or_default();
        call.tool.update(&fields, meta);
        if let Some(arguments) = fields.raw_input.clone() {
            call.arguments = arguments;
        }
        if let Some(output) = output(&fields) {
            call.output = output;
        }
        let is_over = matches!(fields.status, Some(ToolCallStatus::Completed | ToolCallStatus::Failed));
        let ok = fields.status == Some(ToolCallStatus::Completed);
        // Many announce a call before they know its arguments.
        let has_arguments = call.arguments.as_object().is_some_and(|arguments| !arguments.is_empty());
        if !call.has_begun && (has_arguments || is_over) {
            call.has_begun = true;
            let item = call.item(&id, ok);
            self.transcript.begins(item, events, redactor).await;
        }
        if is_over && let Some(call) = self.calls.remove(&id) {
            self.transcript.ends(call.item(&id, ok), events, redactor).await;
            self.over.insert(id);
        }
    }
}

impl Call {
    fn item(&self, id: &str, ok: bool) -> Item {
        if self.tool.is_submit() {
            return Item::Submission { ok };
        }
        Item::Tool {
            call_id: id.to_owned(),
            name: self.tool.shown().to_owned(),
            arguments: self.arguments.clone(),
            ok,
            output: self.output.clone(),
        }
    }
}

/// A call that begins, as an update of nothing.
fn fields(call: ToolCall) -> ToolCallUpdateFields {
    ToolCallUpdateFields::new()
        .kind(call.kind)
        .status(call.status)
        .title(call.title)
        .name(call.name)
        .content(call.content)
        .raw_input(call.raw_input)
        .raw_output(call.raw_output)
}

/// The texts of a call's content, else its raw output.
fn output(fields: &ToolCallUpdateFields) -> Option<String> {
    let text = |content: &ToolCallContent| match content {
        ToolCallContent::Content(content) => match &content.content {
            ContentBlock::Text(text) => Some(text.text.clone()),
            _ => None,
        },
        _ => None,
    };
    let texts: Vec<String> = fields.content.iter().flatten().filter_map(text).collect();
    match (texts.is_empty(), &fields.raw_output) {
        (false, _) => Some(texts.join("\n")),
        (true, Some(Value::String(raw))) => Some(raw.clone()),
        (true, Some(raw)) if !raw.is_null() => Some(raw.to_string()),
        (true, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use serde_json::json;
    use tokio::sync::mpsc;

    async fn heard(updates: &[Value]) -> (Transcript, Vec<Event>) {
        let (sender, mut receiver) = mpsc::channel(100);
        let (events, redactor) = (Events::new(sender), Redactor::new(["sk-secret".to_owned()]));
        let mut all = Updates::default();
        for update in updates {
            all.take(serde_json::from_value(update.clone()).unwrap(), &events, &redactor).await;
        }
        let transcript = all.end(&events, &redactor).await;
        drop(events);
        let mut told = Vec::new();
        while let Some(event) = receiver.recv().await {
            told.push(*event);
        }
        told.retain(|event| !matches!(event, Event::Partial { .. }));
        (transcript, told)
    }

    fn says(text: &str) -> Value {
        json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})
    }

    fn message(text: &str) -> Event {
        Event::Message { text: text.to_owned() }
    }

    #[tokio::test]
    async fn a_message_ends_where_work_begins() {
        let begun = json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "ls", "kind": "execute",
            "status": "pending", "rawInput": {}});
        let known =
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "rawInput": {"command": "ls"}});
        let over = json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": "sk-secret"}}]});
        let late = json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "ls, done"});
        let updates = [says("I "), says("look"), begun, known, over, late, says("{\"n\""), says(": 1}")];
        let (transcript, told) = heard(&updates).await;
        assert_eq!((transcript.text.as_deref(), transcript.steps), (Some("{\"n\": 1}"), 1));
        let (call_id, name) = ("c".to_owned(), "ls".to_owned());
        let arguments = json!({"command": "ls"});
        let started = Event::ToolStarted { call_id: call_id.clone(), name: name.clone(), arguments };
        let finished = Event::ToolFinished { call_id, name, ok: true, output: "[redacted]".to_owned() };
        assert_eq!(told, [message("I look"), started, finished, message("{\"n\": 1}")]);
    }

    #[tokio::test]
    async fn message_ids_tell_messages_apart() {
        let part = |id: &str, text: &str| {
            let mut update = says(text);
            update["messageId"] = json!(id);
            update
        };
        let (transcript, told) = heard(&[part("1", "a"), part("1", "b"), part("2", "c")]).await;
        assert_eq!((transcript.text.as_deref(), told), (Some("c"), vec![message("ab"), message("c")]));
    }

    #[tokio::test]
    async fn results_handed_in_at_once_all_count() {
        let submit = |id: &str| {
            json!({"sessionUpdate": "tool_call", "toolCallId": id, "title": "accord_submit_submit_result",
                "rawInput": {"n": 1}})
        };
        let over = |id: &str, status: &str| json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status});
        let lines = |count: usize| (0..count).map(|index| index.to_string()).collect::<Vec<_>>();
        let at_once = [submit("a"), submit("b"), over("a", "completed"), over("b", "completed")];
        let (transcript, told) = heard(&at_once).await;
        assert_eq!((transcript.handed_in(lines(2)), told), (lines(2), Vec::new()));
        let one_by_one = [submit("a"), over("a", "completed"), submit("b"), over("b", "completed")];
        assert_eq!(heard(&one_by_one).await.0.handed_in(lines(2)), ["1"]);
        let failed = [submit("a"), over("a", "completed"), submit("b"), over("b", "failed")];
        assert_eq!(heard(&failed).await.0.handed_in(lines(1)), Vec::<String>::new());
    }
}
