//! Recorded model answers with what must be made of them, and the score of the judge over them.
//!
//! A corpus is a file of JSON lines. Each [`Case`] is a text, a schema, a mode and the expected end: a value,
//! or a refusal. [`Score`] counts how often the judge was right and names every case where it was not. A wrong
//! value and a false accept are never weighed against anything: one is too many.
//!
//! [`HOSTILE`] are texts made to be costly, for what must stay linear.
//!
//! For tests, benches and house tasks only; nothing that ships depends on it.

mod case;
mod equality;
mod exceptions;
mod hostile;
mod score;

pub use case::{Case, CorpusError, Expected, parse};
pub use equality::same_value;
pub use hostile::{HOSTILE, Hostile};
pub use score::{Group, Mark, Score, Tally, Thresholds};
