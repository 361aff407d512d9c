//! The runner against a coordinator in memory. Time is paused: it passes when every task is idle.

mod ends;
mod fake;
mod handed;
mod lives;
mod reports;
