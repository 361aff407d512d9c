//! Reading JSON exactly.
//!
//! `serde_json` keeps numbers as written (`arbitrary_precision`), but it takes objects with its private names for numbers and
//! raw text, lists for structs, and the last of two members with the same name. What each input needs is refused here:
//!
//! - [`read_strictly`] and [`Strict`]: request bodies and files, into any type;
//! - [`read_unreserved`]: what a model or a program wrote, into a value;
//! - [`read_leniently`]: messages of servers and programs in formats of theirs, as `serde_json` reads them;
//! - [`read_kept`]: results and documents that were checked before they were stored, at any depth;
//! - [`reserved::find`]: a reserved name and its location;
//! - [`Checked`]: a text whose values were counted, which is all that the first three take;
//! - [`Meter`]: what reading, and everything else that is made from input, may cost;
//! - [`weight()`]: about how much memory takes what is made from a document;
//! - [`nearest()`]: the known name that was probably meant by an unknown one;
//! - [`Recent`]: a cache of what is made from documents, bounded in number and bytes.
//!
//! Not here: the strict parser of the judge (`contract/src/parse.rs`), which reads a value at a position of a text, reports
//! positions, and accepts a duplicate key with the same value.

pub mod reserved;

mod exact;
mod meter;
mod nearest;
mod recent;
mod scan;
mod strict;
mod weight;

pub use exact::{mark_numbers, read_kept};
pub use meter::{Exceeded, Level, Limits, Meter, Stop, StopOnDrop};
pub use nearest::nearest;
pub use recent::Recent;
pub use reserved::read_unreserved;
pub use scan::{Checked, Pieces};
pub use strict::{Strict, read_leniently, read_strictly};
pub use weight::weight;

use serde_json::Value;

/// The name of a value's type, with its article.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
