//! What `accord types --lang rust` writes for the schemas in `tests/schemas`.

#![expect(
    unreachable_pub,
    dead_code,
    reason = "the types are made for other crates, which use what they need"
)]

#[rustfmt::skip]
pub(crate) mod conditions;
#[rustfmt::skip]
pub(crate) mod counts;
#[rustfmt::skip]
pub(crate) mod document;
#[rustfmt::skip]
pub(crate) mod findings;
#[rustfmt::skip]
pub(crate) mod geocode;
#[rustfmt::skip]
pub(crate) mod invoice;
#[rustfmt::skip]
pub(crate) mod levels;
#[rustfmt::skip]
pub(crate) mod names;
#[rustfmt::skip]
pub(crate) mod nothing;
#[rustfmt::skip]
pub(crate) mod nullable;
#[rustfmt::skip]
pub(crate) mod order;
#[rustfmt::skip]
pub(crate) mod pair;
#[rustfmt::skip]
pub(crate) mod person;
#[rustfmt::skip]
pub(crate) mod prices;
#[rustfmt::skip]
pub(crate) mod changes;
#[rustfmt::skip]
pub(crate) mod review;
#[rustfmt::skip]
pub(crate) mod shapes;
#[rustfmt::skip]
pub(crate) mod stock;
#[rustfmt::skip]
pub(crate) mod tree;
#[rustfmt::skip]
pub(crate) mod triage;
