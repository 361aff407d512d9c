//! The state of a comparison of two schemas, and its limits.

use std::cell::Cell;

use accord_contract::{Dialect, Meter};
use serde_json::Value;

use super::Misfit;
use super::document::{Document, is_self_contained};

/// Schemas are followed to this depth, because recursive ones have no end. Two equal ones are recognised at once.
const MAX_DEPTH: usize = 48;

/// The maximum number of steps: enough for schemas with thousands of members, and fast.
const MAX_STEPS: usize = 50_000;

/// What one of these steps is on the meter: it compares all keywords of two schemas.
const METER_STEPS: u64 = 20;

/// What the two sides are called in messages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sides {
    pub(crate) producer: &'static str,
    pub(crate) consumer: &'static str,
}

pub(super) struct Search<'s> {
    pub(super) producer: Document<'s>,
    pub(super) consumer: Document<'s>,
    pub(super) sides: Sides,
    same_dialect: bool,
    same_document: bool,
    depth: Cell<usize>,
    steps: Cell<usize>,
    meter: &'s Meter,
}

/// A step down, undone when it is dropped.
pub(super) struct Deeper<'a>(&'a Cell<usize>);

impl Drop for Deeper<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get().saturating_sub(1));
    }
}

impl<'s> Search<'s> {
    pub(super) fn new(producer: &'s Value, consumer: &'s Value, sides: Sides, meter: &'s Meter) -> Self {
        Self {
            producer: Document::new(producer),
            consumer: Document::new(consumer),
            sides,
            same_dialect: Dialect::of(producer, meter).ok() == Dialect::of(consumer, meter).ok(),
            same_document: producer == consumer,
            depth: Cell::new(0),
            steps: Cell::new(0),
            meter,
        }
    }

    /// Goes one step down, if that is still allowed.
    pub(super) fn deeper(&self) -> Option<Deeper<'_>> {
        self.steps.set(self.steps.get() + 1);
        let is_charged = self.meter.steps(METER_STEPS).is_ok();
        if self.depth.get() >= MAX_DEPTH || self.steps.get() > MAX_STEPS || !is_charged {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        Some(Deeper(&self.depth))
    }

    /// Whether the same keyword and value mean the same in both documents.
    pub(super) fn means_the_same(&self, operand: &Value) -> bool {
        self.same_document || self.same_dialect && is_self_contained(operand)
    }
}

/// Notes a misfit. Always false, so that it can end a proof.
pub(super) fn misfit(misfits: &mut Vec<Misfit>, at: &str, message: impl Into<String>) -> bool {
    misfits.push(Misfit { pointer: at.to_owned(), message: message.into(), seen: true });
    false
}

/// Notes that something is unknown. Always false, like [`misfit`].
pub(super) fn unseen(misfits: &mut Vec<Misfit>, at: &str, message: impl Into<String>) -> bool {
    misfits.push(Misfit { pointer: at.to_owned(), message: message.into(), seen: false });
    false
}

pub(crate) fn below(at: &str, name: &str) -> String {
    format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// A value for a message, shortened.
pub(super) fn excerpt(value: &Value) -> String {
    const LENGTH: usize = 60;
    let text = value.to_string();
    if text.chars().count() <= LENGTH {
        return text;
    }
    let head: String = text.chars().take(LENGTH).collect();
    format!("{head}…")
}
