//! How severe findings are. Teams use different words for the same four levels.

use serde_json::Value;

/// A level, the least severe first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    Nit,
    Minor,
    Major,
    Blocker,
}

const NAMES: [(&str, Severity); 12] = [
    ("blocker", Severity::Blocker),
    ("critical", Severity::Blocker),
    ("major", Severity::Major),
    ("high", Severity::Major),
    ("error", Severity::Major),
    ("minor", Severity::Minor),
    ("medium", Severity::Minor),
    ("warning", Severity::Minor),
    ("nit", Severity::Nit),
    ("low", Severity::Nit),
    ("info", Severity::Nit),
    ("note", Severity::Nit),
];

impl Severity {
    /// A level by its name.
    pub(super) fn named(name: &str) -> Result<Self, String> {
        let known = NAMES.iter().find(|(known, _)| name.trim().eq_ignore_ascii_case(known));
        known.map(|(_, severity)| *severity).ok_or_else(|| "expected blocker, major, minor or nit".to_owned())
    }

    /// The level of a finding. One that is not known counts as the highest: a check must not pass because of a word.
    pub(super) fn of(value: &Value) -> Self {
        value.as_str().and_then(|name| Self::named(name).ok()).unwrap_or(Self::Blocker)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn levels_are_known_by_several_names() {
        assert!(Severity::of(&json!("critical")) > Severity::of(&json!("High")));
        assert!(Severity::of(&json!("minor")) > Severity::of(&json!("info")));
        assert_eq!(Severity::of(&json!("catastrophic")), Severity::Blocker);
        assert_eq!(Severity::of(&json!(null)), Severity::Blocker);
        assert!(Severity::named("severe").is_err());
    }
}
