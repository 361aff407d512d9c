//! Whether the values of one schema fit another.
//!
//! [`fits`] compares two JSON Schemas by structure and gives one of three verdicts. It is sound and not complete:
//!
//! - [`Fit::Always`]: every value of the producer is a value of the consumer. Keywords of the
//!   producer that are not understood here only narrow its values, so they may be ignored; those of the consumer may not.
//! - [`Fit::Never`]: no value of the producer is a value of the consumer. Both schemas may be widened by ignoring
//!   what is not understood: if the widened schemas are disjoint, so are the originals.
//! - [`Fit::Perhaps`]: neither could be shown. Some values may fit and others not (an optional member that the consumer
//!   requires), or a keyword cannot be compared by structure (`pattern` against another `pattern`).
//!
//! The producer is split into alternatives of one type each, down to single values for `enum` and `const` ([`producer`]);
//! each is then compared with every keyword of the consumer ([`include`], [`disjoint`]). Single values are judged in
//! three-valued logic ([`judge`]).
//!
//! Absent: regular expressions, tuples, `contains`, `unevaluated*`, `dependent*`, references by anchor or by `$id`. If
//! both schemas have them with the same value, they are the same; else the verdict is [`Fit::Perhaps`].

mod disjoint;
mod document;
mod include;
mod judge;
mod keywords;
mod producer;
mod search;
#[cfg(test)]
mod tests;

use accord_contract::Meter;
use serde_json::Value;

pub(crate) use document::{is_addressed, mentions_references, says_nothing};
use search::Search;
pub(crate) use search::{Sides, below};

/// More misfits are not reported, because they would repeat the same.
const MAX_MISFITS: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Every value of the producer fits.
    Always,
    /// No value of the producer fits.
    Never(Vec<Misfit>),
    /// It depends on the value, or the schemas do not show it.
    Perhaps(Vec<Misfit>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// The place in the value, as a JSON pointer; `*` is any item of a list or any other member.
    pub(crate) pointer: String,
    pub(crate) message: String,
    /// Whether the schemas show it. If not, their author can do nothing about it.
    pub(crate) seen: bool,
}

impl std::fmt::Display for Misfit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.pointer.as_str() {
            "" => formatter.write_str(&self.message),
            pointer => write!(formatter, "{pointer}: {}", self.message),
        }
    }
}

/// Compares the schema of an output with the schema of an input.
pub(crate) fn fits(producer: &Value, consumer: &Value, meter: &Meter) -> Fit {
    fits_as(Sides { producer: "the producer", consumer: "the consumer" }, producer, consumer, meter)
}

/// The same, with other names for the two sides.
pub(crate) fn fits_as(sides: Sides, producer: &Value, consumer: &Value, meter: &Meter) -> Fit {
    let search = Search::new(producer, consumer, sides, meter);
    let mut open = Vec::new();
    if search.include(&[producer], consumer, "", &mut open) {
        return Fit::Always;
    }
    let search = Search::new(producer, consumer, sides, meter);
    let mut impossible = Vec::new();
    if search.disjoint(&[producer], consumer, "", &mut impossible) {
        return Fit::Never(tidy(impossible));
    }
    Fit::Perhaps(tidy(open))
}

/// Each misfit once, and not too many.
fn tidy(misfits: Vec<Misfit>) -> Vec<Misfit> {
    let mut kept: Vec<Misfit> = Vec::new();
    for misfit in misfits {
        if kept.len() < MAX_MISFITS && !kept.contains(&misfit) {
            kept.push(misfit);
        }
    }
    kept
}
