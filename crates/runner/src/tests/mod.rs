//! The runner with an in-memory coordinator. Time is paused: it advances when every task is idle.

mod claimed_documents;
mod ends;
mod fake;
mod lives;
mod reports;
