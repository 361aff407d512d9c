//! Names of agents and schemas, and the nearest known name to a wrong one.

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
        true => Some(format!("the name '{name}' has another meaning in addresses; use another name")),
        false => fault(name),
    }
}

/// What is wrong with a name; nothing, where it can be used.
pub(crate) fn fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("a name cannot be empty".to_owned());
    }
    if name.chars().count() > LONGEST {
        return Some(format!("the name has {} characters; {LONGEST} is the most", name.chars().count()));
    }
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    if let Some(other) = name.chars().find(|&character| !plain(character)) {
        return Some(format!("a name has letters, digits, '.', '_' and '-' only, not {other:?}"));
    }
    if !name.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return Some(format!("the name '{name}' must begin with a letter or a digit"));
    }
    None
}

/// The known name that is nearest to a wrong one, where one is near enough to be meant.
pub(crate) fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(wrong);
    let allowed = (folded.len() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|name| (distance(&folded, &fold(name)), name))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// `maxRetries`, `max-retries` and `max_retries` are one word to a person. Long ones cannot be meant.
fn fold(name: &str) -> Vec<char> {
    let letters = name.chars().filter(|character| character.is_alphanumeric());
    letters.flat_map(char::to_lowercase).take(LONGEST).collect()
}

/// How many letters must be put in, left out, changed or swapped with their neighbour.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.iter().enumerate() {
        let mut next = vec![index + 1];
        for (column, other) in right.iter().enumerate() {
            let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
            let mut least = at(&row, column) + usize::from(letter != other);
            least = least.min(at(&row, column + 1) + 1).min(at(&next, column) + 1);
            let crossed = index.checked_sub(1).and_then(|index| left.get(index)) == Some(other)
                && column.checked_sub(1).and_then(|column| right.get(column)) == Some(letter);
            if crossed {
                least = least.min(at(&before, column.saturating_sub(1)) + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
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
        let told = "the name 'infer' has another meaning in addresses; use another name";
        assert_eq!(fault_of(Named::Schema, "infer"), Some(told.to_owned()));
        assert_eq!(fault_of(Named::Agent, "infer"), None);
        assert!(fault_of(Named::Agent, "a b").is_some());
    }

    #[test]
    fn the_nearest_name_is_meant() {
        let known = ["model", "provider", "max_tokens", "max_retries"];
        let cases = [
            ("modle", Some("model")),
            ("maxTokens", Some("max_tokens")),
            ("max-retrys", Some("max_retries")),
            ("zebra", None),
            ("", None),
        ];
        for (wrong, expected) in cases {
            assert_eq!(nearest(wrong, known), expected, "{wrong}");
        }
    }
}
