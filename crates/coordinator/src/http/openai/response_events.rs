//! The events of a streamed response.

use serde::Serialize;
use serde_json::{Value, json};

use super::envelope::ErrorFields;
use super::response_types::{OutputItem, OutputText, ResponseObject};
use super::stream;

/// Writes events, with their numbers.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    next: u32,
    /// The number of the first event that is written; those before are counted.
    first: u32,
}

#[derive(Serialize)]
struct Event<'a, T> {
    #[serde(rename = "type")]
    kind: &'a str,
    sequence_number: u32,
    #[serde(flatten)]
    body: T,
}

#[derive(Serialize)]
struct OfResponse<'a> {
    response: &'a ResponseObject,
}

#[derive(Serialize)]
struct OfItem<'a> {
    output_index: u32,
    item: &'a OutputItem,
}

#[derive(Serialize)]
struct OfPart<'a> {
    item_id: &'a str,
    output_index: u32,
    content_index: u32,
    part: &'a OutputText,
}

impl Writer {
    /// Writes the events after the one with this number.
    pub(super) fn after(last: Option<u32>) -> Self {
        Self { first: last.map_or(0, |last| last.saturating_add(1)), ..Self::default() }
    }

    fn write(&mut self, kind: &str, body: impl Serialize) {
        let event = Event { kind, sequence_number: self.next, body };
        if self.next >= self.first {
            self.text += &stream::event(Some(kind), &event);
        }
        self.next += 1;
    }

    /// What is written so far.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }

    /// The beginning, while the run works.
    pub(super) fn open(&mut self, response: &ResponseObject) {
        self.write("response.created", OfResponse { response });
        self.write("response.in_progress", OfResponse { response });
    }

    /// The end: the answer, or why there is none.
    pub(super) fn close(&mut self, response: &ResponseObject) {
        for (output_index, item) in (0..).zip(&response.output) {
            self.write("response.output_item.added", OfItem { output_index, item: &item.empty() });
            match item {
                OutputItem::Message { id, content, .. } => {
                    content.iter().for_each(|part| self.part(id, output_index, part));
                }
                OutputItem::FunctionCall { id, name, arguments, .. } => {
                    let place = json!({"item_id": id, "output_index": output_index});
                    self.write(
                        "response.function_call_arguments.delta",
                        with(&place, json!({"delta": arguments})),
                    );
                    let done = json!({"name": name, "arguments": arguments});
                    self.write("response.function_call_arguments.done", with(&place, done));
                }
            }
            self.write("response.output_item.done", OfItem { output_index, item });
        }
        let kind = if response.output.is_empty() { "response.failed" } else { "response.completed" };
        self.write(kind, OfResponse { response });
        self.text += stream::DONE;
    }

    /// An error that is not the run's.
    pub(super) fn fail(&mut self, error: &ErrorFields) {
        let body =
            json!({"code": error.code, "message": error.message, "param": error.param, "error": error});
        self.write("error", body);
        self.text += stream::DONE;
    }

    fn part(&mut self, item_id: &str, output_index: u32, part: &OutputText) {
        let place =
            json!({"item_id": item_id, "output_index": output_index, "content_index": 0, "logprobs": []});
        let of_part = |part| OfPart { item_id, output_index, content_index: 0, part };
        let empty = OutputText::new(String::new());
        self.write("response.content_part.added", of_part(&empty));
        self.write("response.output_text.delta", with(&place, json!({"delta": part.text})));
        self.write("response.output_text.done", with(&place, json!({"text": part.text})));
        self.write("response.content_part.done", of_part(part));
    }
}

fn with(place: &Value, more: Value) -> Value {
    let mut whole = place.clone();
    if let (Value::Object(whole), Value::Object(more)) = (&mut whole, more) {
        whole.extend(more);
    }
    whole
}

impl OutputItem {
    /// The same before anything is in it.
    fn empty(&self) -> Self {
        let status = "in_progress";
        match self.clone() {
            Self::Message { id, role, .. } => Self::Message { id, status, role, content: Vec::new() },
            Self::FunctionCall { id, call_id, name, .. } => {
                Self::FunctionCall { id, status, call_id, name, arguments: String::new() }
            }
        }
    }
}
