//! Caches of what is read from the store.

pub(crate) use accord_json::Recent;

/// Of agents, workflows, schemas and runners: more than most installations have in use.
pub(crate) const IN_USE: usize = 1_000;
