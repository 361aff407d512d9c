//! Rows and what they mean. Each module knows one table.

pub(crate) mod assignment;
pub(crate) mod attempt;
pub(crate) mod event;
pub(crate) mod idempotency;
pub(crate) mod outcome;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod step;
pub(crate) mod summary;
