//! Names of agents, workflows and schemas.

/// Maximum characters of a name, which is a folder, a part of a URL and a label.
pub const MAX_NAME_LENGTH: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    Agent,
    /// A registered schema.
    Schema,
    Workflow,
}

impl Named {
    /// Words that the routes use in place of the name, so that nothing of this name could be read or removed.
    pub fn reserved(self) -> &'static [&'static str] {
        match self {
            Self::Agent | Self::Workflow => &["validate"],
            Self::Schema => &["validate", "infer"],
        }
    }
}

/// What is wrong with the name of something new.
pub fn new_name_error(named: Named, name: &str) -> Option<String> {
    match named.reserved().contains(&name) {
        true => Some(format!("the name '{name}' is reserved in URLs; use another name")),
        false => name_error(name),
    }
}

/// What is wrong with a name.
pub fn name_error(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("name is empty".to_owned());
    }
    if name.chars().count() > MAX_NAME_LENGTH {
        return Some(format!(
            "the name has {} characters; the limit is {MAX_NAME_LENGTH}",
            name.chars().count()
        ));
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
    fn accepts_plain_names() {
        let long = "x".repeat(64);
        for name in ["a", "pr-reviewer", "v1.2_x", "0", long.as_str()] {
            assert_eq!(name_error(name), None, "{name}");
        }
    }

    #[test]
    fn rejects_other_names() {
        let long = "x".repeat(65);
        for name in ["", ".hidden", "-x", "_x", "a b", "a/b", "..", "ä", "a\0", long.as_str()] {
            assert!(name_error(name).is_some(), "{name:?}");
        }
    }

    #[test]
    fn rejects_words_of_routes() {
        let expected = "the name 'infer' is reserved in URLs; use another name";
        assert_eq!(new_name_error(Named::Schema, "infer"), Some(expected.to_owned()));
        assert_eq!(new_name_error(Named::Agent, "infer"), None);
        assert!(new_name_error(Named::Agent, "a b").is_some());
    }
}
