//! The judgement that all of Accord rests on: does this text hold exactly one value that conforms?
//!
//! A [`Schema`] is compiled once. A [`Contract`] is a schema with options ([`Mode`] above all) and [`Invariants`]. [`judge`]
//! takes what a model said, an [`Answer`], and gives a [`Verdict`]: the conforming value with the [`Repair`]s that were made,
//! or the located reasons why not, a [`Violation`] each.
//!
//! The way of an answer: `judge` finds the places of its text where a value may stand (`scan`), reads them (`parse`), lets the
//! schema decide, and takes a value only if no other passes beside it. Leniently it also mends the shape of what was read
//! (`shape`) and reads what is damaged (`repair`). The order of all steps, with the reasons, is told at the head of `judge`;
//! how damage is read, at the head of `repair`.
//!
//! Beside the judgement: the texts that tell a model what is wanted ([`prompt`]), the lowering of a schema to what a provider
//! accepts and the lifting of its answer back ([`mod@lower`]), a linter ([`mod@lint`]), a schema from examples ([`infer()`]),
//! and where a part of a value stands in its text ([`locate()`]).
//!
//! Absent on purpose: input and output, clocks, randomness, environment, async. Nothing here invents data: a
//! value that is accepted stands in the text, token for token, or was rewritten without loss and says so.

pub mod limits;
pub mod lint;
pub mod lower;
pub mod prompt;

// What a contract is made of.
mod contract;
mod decimal;
mod invariant;
mod schema;

// The judgement.
mod cut;
mod judge;
mod nested;
mod shape;
mod verdict;
mod violation;

// Finding values in a text.
mod disowned;
mod enclosure;
mod expression;
mod markup;
mod reasoning;
mod scan;
mod surround;
mod tag;

// Reading them.
mod number;
mod parse;
mod place;
mod repair;

// Beside the judgement.
mod infer;
mod locate;

pub use contract::{Contract, Mode, Options};
pub use decimal::Decimal;
pub use infer::{Inference, Openness, infer};
pub use invariant::{Condition, Invariant, InvariantError, Invariants};
pub use judge::judge;
pub use locate::{Location, locate};
pub use number::same;
pub use place::{Place, Step};
pub use schema::{Dialect, Schema, SchemaError};
pub use verdict::{Accepted, Answer, Candidate, Outcome, Rejected, Repair, RepairKind, Source, Verdict};
pub use violation::{Violation, Violations};
