//! The judgement that all of Accord rests on: does this text hold exactly one value that conforms?
//!
//! A [`Schema`] is compiled once. A [`Contract`] is a schema with options ([`Mode`] above all) and [`Invariants`]. [`judge`]
//! takes what a model said, an [`Answer`], and gives a [`Verdict`]: the conforming value with the [`Repair`]s that were made,
//! or the located reasons why not, a [`Violation`] each.
//!
//! The way of an answer: `regions` and `candidates` find the stretches of its text that may hold the value, `parse` and
//! `read` read them (strictly, and by the cheapest conforming reading), `account` says what each byte belongs to, and
//! `judge::policy` has the rules that choose. `lex` is the one place that knows how tokens are written.
//!
//! Beside the judgement: the texts that tell a model what is wanted ([`prompt`]), the lowering of a schema to what a provider
//! accepts and the lifting of its answer back ([`mod@lower`]), a linter ([`mod@lint`]), a schema from examples ([`infer()`]),
//! where a part of a value is in its text ([`locate()`]), and what each byte of a judged text is ([`explain()`]).
//!
//! Absent on purpose: input and output, clocks, randomness, environment, async. Nothing here invents data: a
//! value that is accepted is in the text, token for token, or was rewritten without loss and says so.

#![warn(missing_docs)]

pub mod limits;
pub mod lint;
pub mod lower;
pub mod prompt;

// The parts of a contract.
mod contract;
mod decimal;
mod invariant;
mod schema;

// Finding values in a text and reading them.
mod account;
mod candidates;
mod json_path;
mod lex;
mod number;
mod outline;
mod parse;
mod read;
mod regions;

// The judgement.
mod cut;
mod echo;
mod judge;
mod nested;
mod repair;
mod shape;
mod verdict;
mod violation;

// Beside the judgement.
mod difference;
mod explain;
mod identity;
mod infer;
mod locate;

pub use accord_json::{Exceeded, Limits, Meter, Recent, Stop, StopOnDrop, weight};
pub use account::{Account, AccountError, Span, SpanKind};
pub use contract::{Contract, Embedded, Extract, Mode, Options};
pub use decimal::Decimal;
pub use difference::{SchemaChange, schema_changes};
pub use echo::EchoSources;
pub use explain::explain;
pub use identity::contract_hash;
pub use infer::{Inference, Openness, infer};
pub use invariant::{Condition, EvaluationError, Invariant, InvariantError, Invariants, RuleError};
pub use json_path::{JsonPath, Step};
pub use judge::judge;
pub use locate::{Location, locate};
pub use number::same;
pub use repair::{Repair, RepairKind};
pub use schema::{Dialect, Schema, SchemaError};
pub use verdict::{Accepted, Answer, Candidate, Outcome, Rejected, Source, Verdict};
pub use violation::{Violation, Violations};
