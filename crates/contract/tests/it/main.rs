//! The crate as others use it: schemas, judging every kind of text, lowering and lint.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests stop at the first thing that is not as expected, and show what they count"
)]

mod accounts;
mod adversarial;
mod budget;
mod corpus;
mod corruptions;
mod disowned;
mod families;
mod inner_quotes;
mod judge;
mod judging;
mod lenient;
mod lint;
mod lower;
mod lower_limits;
mod metered;
mod near_misses;
mod parts;
mod properties;
mod reasoning;
mod refusals;
mod rivals;
mod schema;
mod shape;
mod sources;
mod strings;
mod suite;
mod words;
