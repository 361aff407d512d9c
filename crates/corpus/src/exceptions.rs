//! Recorded answers whose expected value is refused on purpose.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The ids in `exceptions.toml`, where the reasons are.
#[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
static IDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let table: toml::Table = include_str!("../exceptions.toml").parse().expect("exceptions.toml is TOML");
    let ids = table.values().filter_map(|reason| reason.get("ids")?.as_array());
    ids.flatten().filter_map(|id| id.as_str().map(str::to_owned)).collect()
});

/// Whether a case asks for something that the judge never does.
pub(crate) fn is_exception(id: &str) -> bool {
    IDS.contains(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_named_by_id() {
        assert!(is_exception("json-repair.stray-words"));
        assert!(!is_exception("json-repair.other"));
    }
}
