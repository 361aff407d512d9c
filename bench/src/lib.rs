//! What the benchmarks share: the documents that are judged, a clock, the real binary as a process, and a small HTTP client.

pub mod http;
pub mod server;
mod timing;
mod workload;

pub use timing::best_of;
pub use workload::{Clean, clean, contract, many_definitions};
