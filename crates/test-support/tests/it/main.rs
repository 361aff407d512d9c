//! The model servers and the PostgreSQL cluster, used as other crates use them.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests stop at the first thing that is not as expected"
)]

mod chaos;
mod decode;
mod faults;
mod http;
mod postgres;
mod server;
mod wires;
