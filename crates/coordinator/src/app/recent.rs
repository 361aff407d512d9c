//! Caches of what is read from the store.

pub(crate) use accord_json::Recent;

/// Of agents, workflows, schemas and runners: more than most installations have in use.
pub(crate) const IN_USE: usize = 1_000;

/// About how many bytes takes what is read from the files of an installation, whose schemas are a part of them.
pub(crate) fn read_from(text_bytes: usize) -> usize {
    text_bytes.saturating_mul(32)
}
