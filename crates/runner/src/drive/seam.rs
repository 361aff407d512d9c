//! Where an answer was cut off and the model was asked to go on: what was said before, and what came then.
//!
//! Models are told to go on exactly where they stopped. Some begin once more, and some repeat the last words first. Put
//! together as they are, such texts say what nobody said.

/// So much of the beginning is compared. Longer would miss a model that begins once more and words it a little differently.
const HEAD: usize = 16;

/// A shorter repetition is an accident, unless it is of digits: of a number nobody can tell.
const LEAST_OVERLAP: usize = 3;

/// A repetition is looked for in so many characters; models repeat a line, hardly more.
const MOST_OVERLAP: usize = 400;

/// Whether a text begins as the one before it did, so that it stands for itself. A word alone says nothing: it may be the
/// rest of a word or a number.
pub(super) fn starts_over(before: &str, text: &str) -> bool {
    let head: String = before.trim_start().chars().take(HEAD).collect();
    head.chars().any(|character| !character.is_alphanumeric()) && text.trim_start().starts_with(&head)
}

/// Both texts with what the second repeats of the first left out, where it repeats anything.
pub(super) fn overlapped(before: &str, text: &str) -> Option<String> {
    let ends = text.char_indices().map(|(at, character)| at + character.len_utf8()).take(MOST_OVERLAP);
    let heads = ends.filter_map(|end| text.get(..end));
    let head = heads.filter(|head| before.ends_with(head)).last()?;
    let digits = head.chars().all(|character| character.is_ascii_digit());
    let rest = text.get(head.len()..)?;
    (digits || head.chars().count() >= LEAST_OVERLAP).then(|| format!("{before}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_begins_once_more_is_known_by_its_beginning() {
        for (before, text) in [
            (r#"{"a": 1, "b": "hel"#, r#"{"a": 1, "b": "hello"}"#),
            ("{", r#" {"a": 1}"#),
            ("The answer to all of this is lo", "The answer to all of this is long."),
        ] {
            assert!(starts_over(before, text), "{before}");
        }
        for (before, text) in [("1", "12"), ("", "{}"), ("[1, 2", ", 3]"), (r#"[{"a": 1},"#, r#"{"a": 2}]"#)]
        {
            assert!(!starts_over(before, text), "{before}");
        }
    }

    #[test]
    fn what_is_repeated_at_the_seam_is_left_out() {
        let rows = [
            ("The quick brown fox jumps ov", "brown fox jumps over", Some("The quick brown fox jumps over")),
            ("12", "12}", Some("12}")),
            ("[1,1", "1,1]", Some("[1,1]")),
            ("hel", "lo", None),
            ("ab", "cd", None),
            ("gr\u{fc}\u{df}e", "\u{fc}\u{df}e!", Some("gr\u{fc}\u{df}e!")),
        ];
        for (before, text, expected) in rows {
            assert_eq!(overlapped(before, text).as_deref(), expected, "{before}");
        }
    }
}
