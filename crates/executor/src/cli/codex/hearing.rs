//! What was heard in one turn, told while it is heard.

use crate::cassette::Redactor;
use crate::event::{Event, Events};

use super::item::Item;

/// What was heard, as far as the answer depends on it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Hearing {
    /// The last message of the model. Earlier ones are work on the way.
    pub(super) text: Option<String>,
    /// How often a result was handed in, in the last step that did so: the ones before were taken back.
    pub(super) submitted: usize,
    /// How many model requests were answered.
    pub(super) steps: u32,
    /// Whether a step has ended since a result was last handed in.
    pub(super) stepped: bool,
}

impl Hearing {
    /// A model request was answered.
    pub(super) fn step(&mut self) {
        self.steps += 1;
        self.stepped = true;
    }

    pub(super) async fn begins(&mut self, item: Item, events: &Events, redactor: &Redactor) {
        if let Item::Tool { call_id, name, arguments, .. } = item {
            let arguments = redactor.value(arguments);
            events.tell(Event::ToolStarted { call_id, name, arguments }).await;
        }
    }

    pub(super) async fn ends(&mut self, item: Item, events: &Events, redactor: &Redactor) {
        match item {
            Item::Message(text) => {
                if !text.trim().is_empty() {
                    events.tell(Event::Message { text: redactor.text(&text) }).await;
                }
                self.text = Some(text);
                self.stepped = true;
            }
            Item::Tool { call_id, name, ok, output, .. } => {
                let output = redactor.text(&output);
                events.tell(Event::ToolFinished { call_id, name, ok, output }).await;
            }
            Item::Submission { ok: true } => {
                if std::mem::take(&mut self.stepped) {
                    self.submitted = 0;
                }
                self.submitted += 1;
            }
            Item::Submission { ok: false } | Item::Other => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokio::sync::mpsc;

    #[tokio::test]
    async fn the_last_message_counts_and_secrets_are_not_told() {
        let (sender, mut receiver) = mpsc::channel(10);
        let (events, redactor) = (Events::new(sender), Redactor::new(["sk-secret".to_owned()]));
        let mut hearing = Hearing::default();
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
    async fn a_later_step_takes_back_what_was_handed_in_before() {
        let (events, redactor) = (Events::none(), Redactor::new([]));
        let mut hearing = Hearing::default();
        for (ok, step) in [(true, true), (false, false), (true, false), (true, true)] {
            hearing.ends(Item::Submission { ok }, &events, &redactor).await;
            if step {
                hearing.step();
            }
        }
        assert_eq!(hearing.submitted, 2);
    }
}
