//! Reading a damaged value: the cheapest reading that conforms.
//!
//! Damage has more than one reading: a quote mark inside a string may end it or not, a missing bracket may
//! have stood in several places. So this is a search, not a pass with rules of thumb. A state is a position
//! with the stack of open containers; each step reads one token; a step that assumes damage costs what such
//! damage is unlikely. States are taken cheapest first, complete readings are offered to the contract in that
//! order, and the first that conforms wins. If another one of about the same cost conforms with another value,
//! the text is ambiguous and nothing wins.
//!
//! What has only one reading costs nothing: comments, other quotes, other literals, commas too many. So a text
//! that uses single quotes throughout is read in one go.
//!
//! The search is bounded by steps and by bytes looked at, both in proportion to the text. Past the bounds it
//! gives up, which is a refusal, never a guess.
//!
//! - `token` — what a reading is made of        - `look`   — looking ahead: what could follow here
//! - `text`  — strings and how they end         - `bare`   — numbers, literals and words without quotes
//! - `step`  — one step per kind of position    - `bracket` — brackets that are missing or wrong
//! - `search` — the queue, the bounds, the choice
//! - `omission` — comments and words that say that items were left out
//! - `build` — a finished reading as a value, with its repairs
//! - `written` — what is written in a string

mod bare;
mod bracket;
mod build;
mod look;
mod omission;
mod search;
mod step;
mod text;
mod token;
mod written;

pub(crate) use search::{Extent, Offer, Reading, Search, Start};
pub(crate) use written::written;
