//! What judging costs: the documents that are judged, and a clock that gives medians.

mod timing;
mod workload;

pub use timing::{best_of, median_of};
pub use workload::{Clean, clean, contract, many_definitions};
