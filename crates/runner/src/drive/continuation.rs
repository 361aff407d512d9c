//! Joining an answer that was cut off with its continuation.
//!
//! Models are asked to continue exactly where they stopped. Some start over, and some repeat the last words first. Simply
//! concatenated, such texts would say something that the model did not say.
//!
//! Under a contract it is judged what could be meant ([`starts_over`], [`overlapped`]), and where that is more than one thing
//! the model is asked once more. Free text has no judge ([`joined`]): songs, lists and code repeat themselves on purpose, so
//! there only what is hardly meant twice is left out. To say something twice is better than to lose it.

/// Characters of the beginning that are compared. More would miss a model that starts over in slightly different words.
const HEAD: usize = 16;

/// A shorter repetition is an accident, unless it consists of digits.
const LEAST_OVERLAP: usize = 3;

/// A repetition is searched for in this many characters; models rarely repeat more than a line.
const MOST_OVERLAP: usize = 400;

/// In free text, this many characters (about three words) rarely occur twice in a row in the middle of a sentence.
const LEAST_RETOLD: usize = 16;

/// Free text starts over if it repeats this many characters, about a sentence. Verses and rows may start with fewer equal ones.
const LEAST_RESTART: usize = 48;

/// The same if the cut came after a whole sentence or line. Those are repeated on purpose, but rarely this many characters.
const LEAST_RESTART_OF_SENTENCES: usize = 400;

/// Whether a text begins like the one before it, so that it replaces it. A word alone says nothing: it may be the
/// rest of a word or a number.
pub(super) fn starts_over(before: &str, text: &str) -> bool {
    let head: String = before.trim_start().chars().take(HEAD).collect();
    head.chars().any(|character| !character.is_alphanumeric()) && text.trim_start().starts_with(&head)
}

/// All pieces as one text; a piece that starts over replaces what came before it.
pub(super) fn assembled(before: &str, pieces: &[String]) -> String {
    pieces.iter().fold(before.to_owned(), |before, piece| match starts_over(&before, piece) {
        true => piece.clone(),
        false => before + piece,
    })
}

/// Both texts with what the second repeats of the first left out, where it repeats anything.
pub(super) fn overlapped(before: &str, text: &str) -> Option<String> {
    let head = repeated(before, text)?;
    let digits = head.chars().all(|character| character.is_ascii_digit());
    let rest = text.get(head.len()..)?;
    (digits || head.chars().count() >= LEAST_OVERLAP).then(|| format!("{before}{rest}"))
}

/// Both texts as one, where there is nothing to judge them by.
pub(super) fn joined(before: String, text: &str) -> String {
    if begins_again(&before, text) {
        return text.to_owned();
    }
    let retold = repeated(&before, text).filter(|head| is_retold(&before, head));
    let rest = retold.and_then(|head| text.get(head.len()..)).unwrap_or(text);
    before + rest
}

/// The longest beginning of a text that the one before it ends with.
fn repeated<'a>(before: &str, text: &'a str) -> Option<&'a str> {
    let ends = text.char_indices().map(|(at, character)| at + character.len_utf8()).take(MOST_OVERLAP);
    let heads = ends.filter_map(|end| text.get(..end));
    heads.filter(|head| before.ends_with(head)).last()
}

/// Whether free text was repeated from the start: nearly all of the previous text, at least four
/// fifths, not just a common beginning. The rest of the first piece was then reworded.
fn begins_again(before: &str, text: &str) -> bool {
    let (before, text) = (before.trim_start(), text.trim_start());
    let same = before.chars().zip(text.chars()).take_while(|(one, other)| one == other).count();
    let least = if is_amid(before) { LEAST_RESTART } else { LEAST_RESTART_OF_SENTENCES };
    let opening: String = text.chars().take(same.min(MOST_OVERLAP)).collect();
    same >= least && same * 5 >= before.chars().count() * 4 && !is_monotonous(&opening)
}

/// Whether the end of a free text is given once more: from the beginning of a word, and in words that it had only there.
fn is_retold(before: &str, head: &str) -> bool {
    let Some(first) = before.strip_suffix(head) else { return false };
    let inside_word = first.ends_with(char::is_alphanumeric) && head.starts_with(char::is_alphanumeric);
    head.chars().count() >= LEAST_RETOLD
        && is_amid(before)
        && !inside_word
        && !is_monotonous(head)
        && !first.contains(head.trim())
}

/// Whether a text ends within a sentence.
fn is_amid(text: &str) -> bool {
    text.trim_end_matches(' ').ends_with(char::is_alphanumeric)
}

/// Whether a text is the same over and over, so that more of it may well be meant.
fn is_monotonous(text: &str) -> bool {
    let starts = text.char_indices().map(|(at, _)| at).skip(1).take_while(|at| at * 2 <= text.len());
    starts.filter_map(|at| text.get(at..)).any(|rest| text.starts_with(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_restarted_text_is_recognised_by_its_beginning() {
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
    fn repetitions_after_a_cut_are_left_out() {
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

    #[test]
    fn free_text_is_never_lost() {
        let rows = [
            ("The sum is 1000", "000 dollars."),
            (
                "Row, row, row your boat,\nGently down the stream.\n",
                "Row, row, row your boat,\nIf you see a crocodile.\n",
            ),
            ("ha ha ha ", "ha ha ha ha, he said"),
            ("", "The whole of it."),
            ("hel", "lo"),
            ("0000000000000000000000000", "0000000000000000000000000"),
            ("I must not talk in class. ", "I must not talk in class. I must not"),
            ("row row row your boat row row row your boat", " row row row your boat, he sang"),
            ("and so on and so on and so on and so on", " and so on and so on and so on and so on."),
            (
                "The board finds that the request of the applicant is hereby granted.\n",
                "The board finds that the request of the applicant is hereby refused.\n",
            ),
            ("foreverything that was said", "everything that was said twice"),
        ];
        for (before, text) in rows {
            assert_eq!(joined(before.to_owned(), text), format!("{before}{text}"));
        }
        let chant = "la ".repeat(300);
        assert_eq!(joined(chant.clone(), &chant), "la ".repeat(600));
    }

    #[test]
    fn repeated_free_text_counts_once() {
        let rows = [
            ("The quick brown fox jumps ov", "brown fox jumps over", "The quick brown fox jumps over"),
            ("They met where it all began ", "where it all began again", "They met where it all began again"),
            ("The answer to all of this is lo", "The answer to all of this is long.", ""),
            (
                "There are three things to say of this: the first is its price, the second its w",
                " There are three things to say of this: the first is its price, the second is its weight.",
                "",
            ),
        ];
        for (before, text, expected) in rows {
            let expected = if expected.is_empty() { text } else { expected };
            assert_eq!(joined(before.to_owned(), text), expected);
        }
        let page: String = (0..60).map(|number| format!("Line {number} of it.\n")).collect();
        let whole = format!("{page}And the last one.");
        assert_eq!(joined(page, &whole), whole);
    }
}
