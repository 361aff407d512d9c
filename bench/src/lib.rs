//! What judging costs: the documents that are judged, and a clock.

mod timing;
mod workload;

pub use timing::best_of;
pub use workload::{Clean, clean, contract, many_definitions};
