//! Events of a turn, sent while it runs.

use serde_json::Value;
use tokio::sync::mpsc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    Text,
    Stderr,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    Message {
        text: String,
    },
    /// A part of what is being said or written, as soon as it is there. A text follows whole as a message, if it comes to its
    /// end.
    Partial {
        channel: Channel,
        /// The part, to be put behind those before.
        text: String,
    },
    ToolStarted {
        call_id: String,
        name: String,
        /// Its arguments; a string where they were not JSON.
        arguments: Value,
    },
    ToolFinished {
        call_id: String,
        name: String,
        /// Whether it did what it was asked.
        ok: bool,
        output: String,
    },
    /// One request to the provider was answered, failed, or was given up because the turn is to end.
    Requested {
        endpoint: String,
        milliseconds: u64,
        /// The HTTP status, none if there was no answer.
        status: Option<u16>,
    },
    /// A conversation began that [`crate::Session::conversation`] can continue from now on.
    Conversation(Value),
    /// It happened in an earlier delivery of the run, and was told then.
    Replayed(Box<Event>),
    /// A request is to be repeated.
    Retrying {
        reason: String,
        /// After how long; 0 where that is not known.
        milliseconds: u64,
        /// How many times it was made so far, where that is known.
        attempts: Option<u32>,
        /// How many times it may still be made, where that is limited.
        attempts_left: Option<u32>,
        /// For how long it may still be made, from then on, where that is known.
        milliseconds_left: Option<u64>,
    },
}

impl Event {
    /// A retry by a program that does not report how many are left.
    pub(crate) fn repeated(reason: String, milliseconds: u64) -> Self {
        Self::Retrying { reason, milliseconds, attempts: None, attempts_left: None, milliseconds_left: None }
    }
}

/// Where events go. Bounded: a slow listener slows the turn down instead of filling the memory. Boxed, because a channel
/// makes room for many at once, and thousands of turns wait with an empty one.
#[derive(Debug, Clone)]
pub struct Events(Option<mpsc::Sender<Box<Event>>>);

impl Events {
    pub fn new(sender: mpsc::Sender<Box<Event>>) -> Self {
        Self(Some(sender))
    }

    pub fn none() -> Self {
        Self(None)
    }

    /// Tells one event if there is room for it, and says whether there was: a hint is no reason to wait.
    pub(crate) fn offer(&self, event: Event) -> bool {
        self.0.as_ref().is_none_or(|sender| sender.try_send(Box::new(event)).is_ok())
    }

    /// Tells one event. A listener that has gone is no reason to stop.
    pub async fn tell(&self, event: Event) {
        if let Some(sender) = &self.0 {
            sender.send(Box::new(event)).await.ok();
        }
    }
}
