//! The nearest known name to a wrong one.

use strsim::osa_distance;

/// Letters beyond this are not compared: no real name is that long.
const LONGEST: usize = 64;

/// The known name that is nearest to a wrong one, where one is near enough to be meant.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = fold(wrong);
    let length = folded.chars().count();
    let allowed = (length / 3).clamp(1, 3);
    known
        .into_iter()
        .map(|name| (name, fold(name)))
        .map(|(name, other)| (osa_distance(&folded, &other), length.max(other.chars().count()), name))
        // Where half of the letters are others, any short name would be near to any other.
        .filter(|(distance, letters, _)| *distance <= allowed && distance * 2 < *letters)
        .min_by_key(|(distance, _, _)| *distance)
        .map(|(_, _, name)| name)
}

/// `maxRetries`, `max-retries` and `max_retries` are one word to a person. Long ones cannot be meant.
fn fold(name: &str) -> String {
    let letters = name.chars().filter(|character| character.is_alphanumeric());
    letters.flat_map(char::to_lowercase).take(LONGEST).collect()
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
