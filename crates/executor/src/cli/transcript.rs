//! The output of a turn so far, reported as events.
//!
//! A message that is followed by work is not the answer, although under a schema it conforms like one. Work begins where its
//! start is reported, or an end without a start. Other ends are not work: a command that was left running is ended after
//! the answer, when the turn is over.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::cassette::Redactor;
use crate::event::{Channel, Event, Events};

/// One thing that a CLI did or does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    Message(String),
    /// A tool at work, or at its end.
    Tool {
        call_id: String,
        name: String,
        arguments: Value,
        ok: bool,
        output: String,
    },
    /// A result was handed in, or was refused.
    Submission {
        ok: bool,
    },
    Other,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Transcript {
    /// The last message of the model, where no work has followed it.
    pub(super) text: Option<String>,
    /// How often a result was handed in, in the last step that did so: the ones before were taken back.
    pub(super) submitted: usize,
    /// Whether the last one failed: it was to replace the ones before it.
    pub(super) is_taken_back: bool,
    pub(super) steps: u32,
    /// Whether a step has ended since a result was last handed in.
    pub(super) stepped: bool,
    /// Tools that are at work, by the ids of their calls.
    pub(super) calls: BTreeSet<String>,
    /// The part of the current message that was not reported yet.
    pub(super) growing: String,
}

impl Transcript {
    pub(super) fn step(&mut self) {
        self.steps += 1;
        self.stepped = true;
    }

    pub(super) async fn begins(&mut self, item: Item, events: &Events, redactor: &Redactor) {
        match item {
            Item::Tool { call_id, name, arguments, .. } => {
                self.text = None;
                self.calls.insert(call_id.clone());
                let arguments = redactor.value(arguments);
                events.tell(Event::ToolStarted { call_id, name, arguments }).await;
            }
            Item::Submission { .. } => self.text = None,
            Item::Message(_) | Item::Other => {}
        }
    }

    /// The model says a part of a message.
    pub(super) fn says(&mut self, part: &str, events: &Events, redactor: &Redactor) {
        self.growing.push_str(part);
        if let Some(text) = redactor.front(&mut self.growing) {
            events.offer(Event::Partial { channel: Channel::Text, text });
        }
    }

    pub(super) async fn ends(&mut self, item: Item, events: &Events, redactor: &Redactor) {
        match item {
            Item::Message(text) => {
                self.growing.clear();
                if !text.trim().is_empty() {
                    events.tell(Event::Message { text: redactor.text(&text) }).await;
                }
                self.text = Some(text);
                self.stepped = true;
            }
            Item::Tool { call_id, name, ok, output, .. } => {
                if !self.calls.remove(&call_id) {
                    self.text = None;
                }
                let output = redactor.text(&output);
                events.tell(Event::ToolFinished { call_id, name, ok, output }).await;
            }
            Item::Submission { ok: true } => {
                if std::mem::take(&mut self.stepped) {
                    self.submitted = 0;
                }
                self.submitted += 1;
                self.is_taken_back = false;
            }
            Item::Submission { ok: false } => {
                self.submitted = 0;
                self.is_taken_back = true;
            }
            Item::Other => {}
        }
    }

    /// The submissions that count: those of the last step that handed in. The ones before were taken back.
    pub(super) fn handed_in(&self, submissions: Vec<String>) -> Vec<String> {
        if self.is_taken_back {
            return Vec::new();
        }
        let before = submissions.len().saturating_sub(self.submitted.max(1));
        submissions.into_iter().skip(before).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokio::sync::mpsc;

    #[tokio::test]
    async fn the_last_message_counts_without_secrets() {
        let (sender, mut receiver) = mpsc::channel(10);
        let (events, redactor) = (Events::new(sender), Redactor::new(["sk-secret".to_owned()]));
        let mut hearing = Transcript::default();
        let tool = Item::Tool {
            call_id: "1".to_owned(),
            name: "shell".to_owned(),
            arguments: json!({"command": "echo sk-secret"}),
            ok: true,
            output: "sk-secret".to_owned(),
        };
        hearing.ends(Item::Message("I look".to_owned()), &events, &redactor).await;
        hearing.begins(tool.clone(), &events, &redactor).await;
        hearing.ends(tool, &events, &redactor).await;
        hearing.step();
        hearing.ends(Item::Message("{\"k\": \"sk-secret\"}".to_owned()), &events, &redactor).await;
        assert_eq!((hearing.text.as_deref(), hearing.steps), (Some("{\"k\": \"sk-secret\"}"), 1));
        drop(events);
        let mut told = Vec::new();
        while let Some(event) = receiver.recv().await {
            told.push(format!("{event:?}"));
        }
        assert_eq!(told.len(), 4);
        assert!(told.iter().all(|event| !event.contains("sk-secret")), "{told:?}");
    }

    #[tokio::test]
    async fn words_that_work_follows_are_no_answer() {
        let (events, redactor) = (Events::none(), Redactor::new([]));
        let said = || Item::Message("{\"n\": 0}".to_owned());
        let tool = || Item::Tool {
            call_id: "1".to_owned(),
            name: "shell".to_owned(),
            arguments: json!({}),
            ok: true,
            output: String::new(),
        };
        // Each with whether it begins.
        let rows: [(&[(Item, bool)], bool); 5] = [
            (&[(said(), false), (tool(), true), (tool(), false)], false),
            (&[(said(), false), (tool(), false)], false),
            (&[(said(), false), (Item::Submission { ok: false }, true)], false),
            (&[(tool(), true), (said(), false), (tool(), false)], true),
            (&[(said(), false), (Item::Other, true), (Item::Other, false)], true),
        ];
        for (items, is_answer) in rows {
            let mut hearing = Transcript::default();
            for (item, begins) in items.iter().cloned() {
                match begins {
                    true => hearing.begins(item, &events, &redactor).await,
                    false => hearing.ends(item, &events, &redactor).await,
                }
            }
            assert_eq!(hearing.text.is_some(), is_answer, "{items:?}");
        }
    }

    #[tokio::test]
    async fn a_later_step_discards_earlier_submissions() {
        let (events, redactor) = (Events::none(), Redactor::new([]));
        let mut hearing = Transcript::default();
        for (ok, step) in [(true, true), (false, false), (true, false), (true, true)] {
            hearing.ends(Item::Submission { ok }, &events, &redactor).await;
            if step {
                hearing.step();
            }
        }
        assert_eq!((hearing.submitted, hearing.is_taken_back), (2, false));
        hearing.ends(Item::Submission { ok: false }, &events, &redactor).await;
        assert!(hearing.is_taken_back);
    }
}
