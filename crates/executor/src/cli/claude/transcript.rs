//! The output of a turn so far, reported as events.

use std::collections::HashMap;

use serde_json::Value;

use crate::cassette::Redactor;
use crate::event::{Event, Events};

use super::line::{Call, Kind, Message, ToolResult};
use super::submissions::Submissions;
use super::totals::Messages;

/// The tool that the CLI makes of a schema.
const STRUCTURED_OUTPUT: &str = "StructuredOutput";

/// How the CLI begins when it asks the model to continue after a cut.
const CUT: &str = "Output token limit hit";

#[derive(Debug, Default)]
pub(super) struct Transcript {
    /// The last message of the model, if it calls no tool: a text before a call is not an answer, even if the turn ends
    /// without another message.
    pub(super) text: String,
    /// The texts before each cut, if the answer was cut off and continued.
    pub(super) before: Vec<String>,
    /// The last value that was given for the schema, conforming or not.
    pub(super) structured: Option<Value>,
    /// What was handed in by the submit tool, and by whom.
    pub(super) handed_in: Submissions,
    pub(super) refusal: Option<String>,
    /// The kind of the last error that the CLI reported.
    pub(super) error: Option<String>,
    pub(super) model: String,
    pub(super) messages: Messages,
    pub(super) following: LineState,
}

/// What must be known to follow the lines.
#[derive(Debug, Default)]
pub(super) struct LineState {
    message: String,
    /// Whether the model was asked to go on after a cut.
    cut: bool,
    /// Names of tools that are at work, by the ids of their calls.
    calls: HashMap<String, String>,
}

impl Transcript {
    /// Takes a line, and reports it as events.
    pub(super) async fn take(&mut self, kind: Kind, submit_tool: &str, events: &Events, redactor: &Redactor) {
        match kind {
            Kind::Begins { model, .. } => self.model = model,
            Kind::Says(message) => self.says(message, submit_tool, events, redactor).await,
            Kind::User { results, text } => {
                self.following.cut |= text.starts_with(CUT);
                for result in results {
                    self.finished(result, events, redactor).await;
                }
            }
            Kind::Repeats { reason, milliseconds } => {
                events.tell(Event::repeated(reason, milliseconds)).await;
            }
            Kind::Refuses { words } => self.refusal = Some(words),
            Kind::Asks { .. } | Kind::Ends(_) | Kind::Other => {}
        }
    }

    async fn says(&mut self, message: Message, submit_tool: &str, events: &Events, redactor: &Redactor) {
        if message.error.is_some() {
            self.error = message.error;
            return;
        }
        self.messages.note(&message);
        if !message.nested {
            self.note(&message);
        }
        for call in message.calls.iter().filter(|call| call.name == submit_tool) {
            self.handed_in.called(&call.id, &message.id, !message.nested);
        }
        if !message.text.trim().is_empty() && !message.nested {
            events.tell(Event::Message { text: redactor.text(&message.text) }).await;
        }
        // The calls that deliver the answer are the answer, not work on the way to it.
        let delivers = |name: &str| name == STRUCTURED_OUTPUT || name == submit_tool;
        for Call { id, name, input } in message.calls.into_iter().filter(|call| !delivers(&call.name)) {
            self.following.calls.insert(id.clone(), name.clone());
            let arguments = redactor.value(input);
            events.tell(Event::ToolStarted { call_id: id, name, arguments }).await;
        }
    }

    /// Remembers what the answer is made of.
    fn note(&mut self, message: &Message) {
        if message.id != self.following.message {
            self.following.message.clone_from(&message.id);
            let said = std::mem::take(&mut self.text);
            match std::mem::take(&mut self.following.cut) {
                true if said.is_empty() => {}
                true => self.before.push(said),
                false => self.forget_text(),
            }
        }
        self.text.push_str(&message.text);
        if !message.calls.is_empty() {
            self.forget_text();
        }
        self.model.clone_from(&message.model);
        for call in &message.calls {
            if call.name == STRUCTURED_OUTPUT {
                self.structured = Some(call.input.clone());
            }
        }
    }

    fn forget_text(&mut self) {
        self.text.clear();
        self.before.clear();
    }

    async fn finished(&mut self, result: ToolResult, events: &Events, redactor: &Redactor) {
        let ToolResult { call_id, ok, text } = result;
        if !ok {
            self.handed_in.failed(&call_id);
        }
        if let Some(name) = self.following.calls.remove(&call_id) {
            let output = redactor.text(&text);
            events.tell(Event::ToolFinished { call_id, name, ok, output }).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokio::sync::mpsc;

    const SUBMIT: &str = "mcp__accord_submit__submit_result";

    fn says(id: &str, text: &str, calls: &[(&str, Value)]) -> Kind {
        let call = |(name, input): &(&str, Value)| Call {
            id: format!("{id}-{name}"),
            name: (*name).to_owned(),
            input: input.clone(),
        };
        let calls = calls.iter().map(call).collect();
        let (id, text) = (id.to_owned(), text.to_owned());
        Kind::Says(Message { id, model: "m".to_owned(), text, calls, ..Message::default() })
    }

    fn user_message(call_id: &str, text: &str) -> Kind {
        let result = ToolResult { call_id: call_id.to_owned(), ok: true, text: "key sk-secret".to_owned() };
        Kind::User { results: vec![result], text: text.to_owned() }
    }

    async fn heard(kinds: Vec<Kind>) -> (Transcript, Vec<Event>) {
        let (sender, mut receiver) = mpsc::channel(100);
        let events = Events::new(sender);
        let redactor = Redactor::new(["sk-secret".to_owned()]);
        let mut hearing = Transcript::default();
        for kind in kinds {
            hearing.take(kind, SUBMIT, &events, &redactor).await;
        }
        drop(events);
        let mut told = Vec::new();
        while let Some(event) = receiver.recv().await {
            told.push(*event);
        }
        (hearing, told)
    }

    #[tokio::test]
    async fn messages_and_tools_are_reported_without_secrets() {
        let (hearing, events) = heard(vec![
            says("1", "I look.", &[("Bash", json!({"command": "echo sk-secret"}))]),
            user_message("1-Bash", ""),
            says("2", "done", &[]),
        ])
        .await;
        let name = || "Bash".to_owned();
        let call_id = || "1-Bash".to_owned();
        let expected = [
            Event::Message { text: "I look.".to_owned() },
            Event::ToolStarted {
                call_id: call_id(),
                name: name(),
                arguments: json!({"command": "echo [redacted]"}),
            },
            Event::ToolFinished {
                call_id: call_id(),
                name: name(),
                ok: true,
                output: "key [redacted]".to_owned(),
            },
            Event::Message { text: "done".to_owned() },
        ];
        assert_eq!(events, expected);
        assert_eq!((hearing.text.as_str(), hearing.model.as_str()), ("done", "m"));
    }

    #[tokio::test]
    async fn parts_before_a_cut_are_separate() {
        let cut = || Kind::User { results: Vec::new(), text: format!("{CUT}. Resume.") };
        let (hearing, _) =
            heard(vec![says("1", "before", &[]), says("2", "{\"a\": ", &[]), cut(), says("3", "1}", &[])])
                .await;
        assert_eq!((hearing.text.as_str(), hearing.before.as_slice()), ("1}", &["{\"a\": ".to_owned()][..]));
        let (hearing, _) =
            heard(vec![says("1", "a", &[]), cut(), says("2", "b", &[]), cut(), says("3", "c", &[])]).await;
        assert_eq!((hearing.text, hearing.before), ("c".to_owned(), vec!["a".to_owned(), "b".to_owned()]));
        let (hearing, _) =
            heard(vec![says("1", "a", &[]), cut(), says("2", "b", &[]), says("3", "c", &[])]).await;
        assert_eq!((hearing.text, hearing.before), ("c".to_owned(), Vec::new()));
    }

    #[tokio::test]
    async fn text_before_a_call_is_not_an_answer() {
        let cut = || Kind::User { results: Vec::new(), text: format!("{CUT}. Resume.") };
        let work = || {
            vec![
                says("1", "{\"a\": 0}", &[]),
                says("1", "", &[("Read", json!({}))]),
                user_message("1-Read", ""),
            ]
        };
        let (hearing, _) = heard(work()).await;
        assert_eq!(hearing.text, "");
        let (hearing, _) = heard([work(), vec![cut(), says("2", "{\"a\": 1}", &[])]].concat()).await;
        assert_eq!((hearing.text, hearing.before), ("{\"a\": 1}".to_owned(), Vec::new()));
        let (hearing, _) =
            heard(vec![says("1", "I h", &[]), cut(), says("2", "ave", &[("Read", json!({}))])]).await;
        assert_eq!((hearing.text, hearing.before), (String::new(), Vec::new()));
    }

    #[tokio::test]
    async fn calls_that_deliver_the_answer_are_not_tool_calls() {
        let value = json!({"a": 1});
        let submits = |id: &str, calls: &[&str]| {
            let call = |id: &&str| Call { id: (*id).to_owned(), name: SUBMIT.to_owned(), input: json!({}) };
            let calls = calls.iter().map(call).collect();
            Kind::Says(Message { id: id.to_owned(), calls, ..Message::default() })
        };
        let (hearing, events) = heard(vec![
            says("1", "", &[(STRUCTURED_OUTPUT, value.clone())]),
            submits("2", &["a", "b"]),
            submits("3", &["c"]),
            submits("3", &["d"]),
            says("4", "that is all", &[]),
        ])
        .await;
        assert_eq!(events, [Event::Message { text: "that is all".to_owned() }]);
        assert_eq!(hearing.structured, Some(value));
        let lines = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        assert_eq!(hearing.handed_in.answer(lines), ["c", "d"]);
    }
}
