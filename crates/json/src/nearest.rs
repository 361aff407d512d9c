//! The nearest known name to a wrong one.

/// Letters beyond this are not compared: no real name is that long.
const LONGEST: usize = 64;

/// The known name that is nearest to a wrong one, where one is near enough to be meant.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(wrong);
    let allowed = (folded.len() / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|name| (name, fold(name)))
        .map(|(name, other)| (distance(&folded, &other), folded.len().max(other.len()), name))
        // Where half of the letters are others, any short name would be near to any other.
        .filter(|(distance, letters, _)| *distance <= allowed && distance * 2 < *letters)
        .min_by_key(|(distance, _, _)| *distance)
        .map(|(_, _, name)| name)
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
        for (wrong, expected) in [("b", None), ("", None), ("ax", None), ("A", Some("a"))] {
            assert_eq!(nearest(wrong, ["a"]), expected, "{wrong}");
        }
    }
}
