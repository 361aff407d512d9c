//! Names of agents and schemas.

pub(crate) use accord_domain::nearest;

/// A name is a folder, a part of an address and a label: short and plain.
const LONGEST: usize = 64;

/// What has a name of its own in an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Named {
    /// An agent.
    Agent,
    /// A registered schema.
    Schema,
    /// A workflow.
    Workflow,
}

impl Named {
    /// Words that stand in addresses where the name would stand, for something else: what was called so could not be read
    /// or removed.
    pub(crate) fn reserved(self) -> &'static [&'static str] {
        match self {
            Self::Agent | Self::Workflow => &["validate"],
            Self::Schema => &["validate", "infer"],
        }
    }
}

/// What is wrong with the name of something new; nothing, where it can be used.
pub(crate) fn fault_of(named: Named, name: &str) -> Option<String> {
    match named.reserved().contains(&name) {
        true => Some(format!("the name '{name}' is reserved in URLs; use another name")),
        false => fault(name),
    }
}

/// What is wrong with a name; nothing, where it can be used.
pub(crate) fn fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("name is empty".to_owned());
    }
    if name.chars().count() > LONGEST {
        return Some(format!("the name has {} characters; the limit is {LONGEST}", name.chars().count()));
    }
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    if let Some(other) = name.chars().find(|&character| !plain(character)) {
        return Some(format!("a name can contain only letters, digits, '.', '_' and '-', not {other:?}"));
    }
    if !name.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return Some(format!("the name '{name}' must start with a letter or a digit"));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_can_be_used() {
        let long = "x".repeat(64);
        for name in ["a", "pr-reviewer", "v1.2_x", "0", long.as_str()] {
            assert_eq!(fault(name), None, "{name}");
        }
    }

    #[test]
    fn other_names_cannot() {
        let long = "x".repeat(65);
        for name in ["", ".hidden", "-x", "_x", "a b", "a/b", "..", "ä", "a\0", long.as_str()] {
            assert!(fault(name).is_some(), "{name:?}");
        }
    }

    #[test]
    fn words_of_addresses_are_no_names() {
        let told = "the name 'infer' is reserved in URLs; use another name";
        assert_eq!(fault_of(Named::Schema, "infer"), Some(told.to_owned()));
        assert_eq!(fault_of(Named::Agent, "infer"), None);
        assert!(fault_of(Named::Agent, "a b").is_some());
    }
}
