//! A conversation in a neutral format, so that it can be stored and continued on any provider.
//!
//! The system prompt is not part of it: every turn brings its own. What only one provider can read (thinking with its
//! signature, encrypted reasoning, marks on calls) is kept unchanged and is sent back to that endpoint only; other
//! endpoints get the text and the calls instead.

use accord_domain::file::FileRef;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::session::OpenError;
use crate::toolbox::ToolSpec;

const VERSION: u32 = 1;

const ANSWERED: &str = "see the result of the first call";
const RECEIVED: &str = "received; this task is finished, and the next message is a new one";
const CUT_OFF: &str = "not run: the message was cut off";

/// The result of a call that was interrupted.
pub(super) const ENDED: &str = "no result: the turn was stopped first";

/// The reply to a submission that came together with a failed call.
pub(super) const NOT_TAKEN: &str = "rejected: another call in the same message failed; see its result, and submit again when the work is done";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Conversation {
    version: u32,
    messages: Vec<Message>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Message {
    User {
        text: String,
    },
    /// Files of the user, before the message that they belong to.
    Files {
        files: Vec<FileRef>,
    },
    Assistant {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<Call>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        kept: Option<Kept>,
    },
    Results {
        results: Vec<CallResult>,
    },
}

impl Message {
    pub(super) fn calls(&self) -> &[Call] {
        match self {
            Self::Assistant { calls, .. } => calls,
            Self::User { .. } | Self::Files { .. } | Self::Results { .. } => &[],
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    /// As they were written, JSON or not.
    pub(super) arguments: String,
    /// Whether this is a result handed in, and not work to be done.
    #[serde(default)]
    pub(super) submit: bool,
}

/// A message as the provider wrote it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    pub(super) endpoint: String,
    pub(super) blocks: Vec<Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallResult {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) ok: bool,
    pub(super) text: String,
}

impl CallResult {
    pub(super) fn new(call: &Call, ok: bool, text: impl Into<String>) -> Self {
        Self { id: call.id.clone(), name: call.name.clone(), ok, text: text.into() }
    }
}

impl Conversation {
    pub(super) fn new() -> Self {
        Self { version: VERSION, messages: Vec::new() }
    }

    /// Reads a stored conversation. One that cannot be read is an error: a fresh one in its place would be a lie.
    pub(super) fn restore(mut stored: Value) -> Result<Self, OpenError> {
        let unreadable = |why: String| {
            OpenError::Settings(format!(
                "the stored conversation of this session cannot be read: {why}; start a new session"
            ))
        };
        if stored.get("messages").is_none() {
            let text = "the conversation of this session was not created by the executor `llm` and cannot be continued by it; start a new session";
            return Err(OpenError::Settings(text.to_owned()));
        }
        let kept = take_blocks(&mut stored);
        let mut read: Self = serde_json::from_value(stored).map_err(|error| unreadable(error.to_string()))?;
        read.put_back(kept);
        if read.version != VERSION {
            return Err(unreadable(format!("its version is {}, not {VERSION}", read.version)));
        }
        Ok(read.at_rest())
    }

    fn put_back(&mut self, kept: Vec<Vec<Value>>) {
        for (message, kept) in self.messages.iter_mut().zip(kept) {
            if let Message::Assistant { kept: Some(Kept { blocks, .. }), .. } = message {
                *blocks = kept;
            }
        }
    }

    /// The conversation at the start of a new run: a submitted result is answered, because the next prompt is not about it.
    fn at_rest(mut self) -> Self {
        let open = self.open();
        if open.iter().any(|call| call.submit) {
            let answer = |call: &Call| match call.submit {
                true => CallResult::new(call, true, RECEIVED),
                false => CallResult::new(call, false, CUT_OFF),
            };
            let results = open.iter().map(answer).collect();
            self.messages.push(Message::Results { results });
        }
        self
    }

    /// The calls without an answer: all of the last message, or only its submissions if the other tools have run.
    fn open(&self) -> Vec<Call> {
        match self.messages.as_slice() {
            [.., Message::Assistant { calls, .. }] => calls.clone(),
            [.., Message::Assistant { calls, .. }, Message::Results { results }]
                if results.len() < calls.len() =>
            {
                calls.iter().filter(|call| call.submit).cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The files that were sent.
    pub(super) fn files(&self) -> Vec<&FileRef> {
        let files = self.messages.iter().filter_map(|message| match message {
            Message::Files { files } => Some(files),
            _ => None,
        });
        files.flatten().collect()
    }

    /// Adds files, which belong to what the user says next. Not before a call is answered: providers want that first.
    pub(super) fn attach(&mut self, files: Vec<FileRef>) {
        if !files.is_empty() && self.open().is_empty() {
            self.messages.push(Message::Files { files });
        }
    }

    pub(super) fn push(&mut self, message: Message) {
        self.messages.push(message);
    }

    /// Whether one of these tools was used after the first `length` messages. A model that does not know of it would repeat
    /// the work.
    pub(super) fn has_worked(&self, length: usize, tools: &[ToolSpec]) -> bool {
        let is_work = |call: &Call| !call.submit && tools.iter().any(|tool| tool.name == call.name);
        let works = |message: &Message| matches!(message, Message::Assistant { calls, .. } if calls.iter().any(is_work));
        self.messages.iter().skip(length).any(works)
    }

    /// Removes everything after the first `length` messages.
    pub(super) fn truncate(&mut self, length: usize) {
        self.messages.truncate(length);
    }

    /// Answers the calls of the last message: with their results, in order, and the others with `rest`.
    pub(super) fn answer(&mut self, results: Vec<CallResult>, rest: &str) {
        let Some(Message::Assistant { calls, .. }) = self.messages.last() else { return };
        let mut done = results.into_iter();
        let mut answer = |call: &Call| {
            let result = if call.submit { None } else { done.next() };
            result.unwrap_or_else(|| CallResult::new(call, false, rest))
        };
        let results: Vec<CallResult> = calls.iter().map(&mut answer).collect();
        if !results.is_empty() {
            self.messages.push(Message::Results { results });
        }
    }

    /// Adds what the user says. Where calls are open it answers them first, because every provider wants each call
    /// answered: a submitted result is answered with the user's words themselves.
    pub(super) fn say(&mut self, prompt: String) {
        let open = self.open();
        let first = open.iter().position(|call| call.submit);
        let results: Vec<CallResult> = open
            .iter()
            .enumerate()
            .map(|(index, call)| match first {
                Some(first) if first == index => CallResult::new(call, true, prompt.clone()),
                Some(_) if call.submit => CallResult::new(call, true, ANSWERED),
                _ => CallResult::new(call, false, CUT_OFF),
            })
            .collect();
        if !results.is_empty() {
            self.messages.push(Message::Results { results });
        }
        if first.is_none() {
            self.messages.push(Message::User { text: prompt });
        }
    }
}

/// Takes the blocks of providers out of each message. Messages are read as a tagged enum, which does not support integers
/// beyond 64 bits, so values that may contain them bypass it.
fn take_blocks(stored: &mut Value) -> Vec<Vec<Value>> {
    let messages = stored.get_mut("messages").and_then(Value::as_array_mut);
    let blocks = |message: &mut Value| {
        message
            .pointer_mut("/kept/blocks")
            .and_then(Value::as_array_mut)
            .map(std::mem::take)
            .unwrap_or_default()
    };
    messages.into_iter().flatten().map(blocks).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(id: &str, submit: bool) -> Call {
        Call {
            id: id.into(),
            name: if submit { "submit" } else { "read" }.into(),
            arguments: "{".into(),
            submit,
        }
    }

    fn after(calls: Vec<Call>) -> Vec<Message> {
        let mut conversation = Conversation::new();
        conversation.push(Message::Assistant { text: String::new(), calls, kept: None });
        conversation.say("again".into());
        conversation.messages().get(1..).unwrap_or_default().to_vec()
    }

    #[test]
    fn words_answer_the_first_open_submission() {
        let (work, first, second) = (call("a", false), call("b", true), call("c", true));
        let results = vec![
            CallResult::new(&work, false, CUT_OFF),
            CallResult::new(&first, true, "again"),
            CallResult::new(&second, true, ANSWERED),
        ];
        assert_eq!(after(vec![work, first, second]), [Message::Results { results }]);
    }

    #[test]
    fn a_prompt_of_a_new_run_does_not_answer_a_submission() {
        let (work, result) = (call("a", false), call("b", true));
        let mut conversation = Conversation::new();
        let calls = vec![work.clone(), result.clone()];
        conversation.push(Message::Assistant { text: String::new(), calls, kept: None });
        let mut restored = Conversation::restore(serde_json::to_value(&conversation).unwrap()).unwrap();
        restored.say("next".into());
        let results = vec![CallResult::new(&work, false, CUT_OFF), CallResult::new(&result, true, RECEIVED)];
        let expected = [Message::Results { results }, Message::User { text: "next".into() }];
        assert_eq!(restored.messages().get(1..).unwrap_or_default(), expected);
    }

    #[test]
    fn words_follow_calls_that_were_cut_off() {
        let work = call("a", false);
        let results = vec![CallResult::new(&work, false, CUT_OFF)];
        assert_eq!(after(vec![work]), [Message::Results { results }, Message::User { text: "again".into() }]);
        assert_eq!(after(Vec::new()), [Message::User { text: "again".into() }]);
    }

    #[test]
    fn calls_that_did_not_end_are_answered_too() {
        let (done, not_done) = (call("a", false), call("b", false));
        let calls = vec![done.clone(), not_done.clone()];
        let said = Message::Assistant { text: String::new(), calls, kept: None };
        let mut conversation = Conversation::new();
        conversation.push(said.clone());
        let first = CallResult::new(&done, true, "ok");
        conversation.answer(vec![first.clone()], ENDED);
        let results = vec![first, CallResult::new(&not_done, false, ENDED)];
        let whole = [said, Message::Results { results }];
        assert_eq!(conversation.messages(), whole);
        conversation.answer(Vec::new(), ENDED);
        assert_eq!(conversation.messages(), whole);
    }

    #[test]
    fn a_submission_next_to_finished_calls_waits_for_its_reply() {
        let (result, work) = (call("a", true), call("b", false));
        let said =
            Message::Assistant { text: String::new(), calls: vec![result.clone(), work.clone()], kept: None };
        let done = Message::Results { results: vec![CallResult::new(&work, true, "ok")] };
        let mut conversation = Conversation::new();
        conversation.push(said.clone());
        conversation.push(done.clone());
        let answered = |text: &str| Message::Results { results: vec![CallResult::new(&result, true, text)] };
        let stored = serde_json::to_value(&conversation).unwrap();
        conversation.say("again".into());
        assert_eq!(conversation.messages(), [said.clone(), done.clone(), answered("again")]);
        let mut restored = Conversation::restore(stored).unwrap();
        restored.say("next".into());
        let next = Message::User { text: "next".into() };
        assert_eq!(restored.messages(), [said, done, answered(RECEIVED), next]);
    }

    #[test]
    fn a_stored_conversation_comes_back_whole() {
        let mut conversation = Conversation::new();
        conversation.say("hello".into());
        conversation.push(Message::Assistant {
            text: "hm".into(),
            calls: vec![call("a", true)],
            kept: Some(Kept {
                endpoint: "anthropic https://h".into(),
                blocks: vec![json!({"type": "thinking", "exact": 1.10, "n": 3})],
            }),
        });
        conversation.say("again".into());
        let text = serde_json::to_string(&conversation).unwrap();
        let restored = Conversation::restore(serde_json::from_str(&text).unwrap());
        assert_eq!(restored.unwrap(), conversation);
    }

    #[test]
    fn numbers_of_a_provider_keep_their_spelling() {
        let numbers = "18446744073709551616,1267650600228229401496703205376,-1180591620717411303424,\
                       340282366920938463463374607431768211456,1e+400,1.10,-0";
        let kept = format!(r#"{{"endpoint":"e","blocks":[{{"input":{{"v":[{numbers}]}}}}]}}"#);
        let text = format!(
            r#"{{"version":1,"messages":[{{"role":"user","text":"a"}},{{"role":"assistant","text":"","kept":{kept}}}]}}"#
        );
        let restored = Conversation::restore(serde_json::from_str(&text).unwrap()).unwrap();
        assert_eq!(serde_json::to_string(&restored).unwrap(), text);
        let none: Value =
            serde_json::from_str(&text.replace(&format!("[{{\"input\":{{\"v\":[{numbers}]}}}}]"), "1"))
                .unwrap();
        assert!(Conversation::restore(none).is_err(), "messages must be a list");
    }

    #[test]
    fn an_unreadable_conversation_is_rejected() {
        for stored in [
            json!({"version": 2, "messages": []}),
            json!({"version": 1, "messages": [{"role": "bishop"}]}),
            json!([]),
        ] {
            let error = Conversation::restore(stored).unwrap_err().to_string();
            assert!(error.contains("start a new session"), "{error}");
        }
    }

    #[test]
    fn a_conversation_of_another_executor_is_rejected_with_a_reason() {
        for stored in [json!({"state": null, "history": []}), json!({"held_by": "codex", "thread_id": "a"})] {
            let error = Conversation::restore(stored).unwrap_err().to_string();
            assert!(error.contains("was not created by the executor `llm`"), "{error}");
        }
    }
}
