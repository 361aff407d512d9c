//! The runner against a coordinator in memory. Time is paused: it passes when every task is idle.

mod claimed_documents;
mod ends;
mod fake;
mod lives;
mod reports;
