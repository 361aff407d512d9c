//! Names of agents and schemas, and the nearest known name to a wrong one.

/// A name is a folder, a part of an address and a label: short and plain.
const LONGEST: usize = 64;

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

/// How many letters must be put in, left out or changed.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.iter().enumerate() {
        let mut next = vec![index + 1];
        for (other, (above, diagonal)) in right.iter().zip(row.iter().skip(1).zip(&row)) {
            let beside = next.last().copied().unwrap_or_default();
            let changed = diagonal + usize::from(letter != other);
            next.push(changed.min(above + 1).min(beside + 1));
        }
        row = next;
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
