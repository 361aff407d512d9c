//! What the benchmarks share: the documents that are judged, a clock, the real binary as a process, a small HTTP client,
//! and whole cycles of a run over HTTP and on a store alone.

pub mod cycle;
pub mod http;
pub mod latency;
pub mod processor;
pub mod server;
pub mod store;
mod timing;
mod workload;

pub use timing::best_of;
pub use workload::{Clean, clean, contract, many_definitions};
