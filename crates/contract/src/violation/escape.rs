//! Text from an answer, escaped before it is quoted to a model, a terminal or a log.
//!
//! Escaped text stays on its line and hides nothing: control and invisible characters are written as `\u{…}`, all
//! others as they are. Tags and fences are neutralised where a prompt is built, by `prompt/safe.rs`.

use crate::json_path::{JsonPath, Step};

/// How much of a value or a name is shown.
pub(crate) const SHOWN: usize = 60;

/// Letters without ink: the standard library prints them as they are.
const BLANK_LETTERS: &[char] =
    &['\u{34f}', '\u{115f}', '\u{1160}', '\u{17b4}', '\u{17b5}', '\u{2800}', '\u{3164}', '\u{ffa0}'];

/// Appends a character so that it means itself and nothing else.
pub(crate) fn push(text: &mut String, character: char) {
    match character {
        '\\' => text.push_str("\\\\"),
        ' '..='~' => text.push(character),
        _ if is_blank(character) => text.extend(character.escape_unicode()),
        // After a letter, so that an accent or a vowel sign stays readable; what cannot be printed is escaped.
        _ => text.extend(['a', character].iter().collect::<String>().escape_debug().skip(1)),
    }
}

fn is_blank(character: char) -> bool {
    BLANK_LETTERS.contains(&character)
        || matches!(character, '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// A text in single quotes, escaped and cut after [`SHOWN`] characters.
pub(crate) fn quoted(text: &str) -> String {
    let mut result = String::from("'");
    push_shortened(&mut result, text, '\'', SHOWN);
    result.push('\'');
    result
}

/// Appends at most `limit` characters of a text that is between `mark`s, and `…` where more follow.
pub(crate) fn push_shortened(result: &mut String, text: &str, mark: char, limit: usize) {
    let mut characters = text.chars();
    for character in characters.by_ref().take(limit) {
        if character == mark {
            result.push('\\');
        }
        push(result, character);
    }
    if characters.next().is_some() {
        result.push('…');
    }
}

/// A place as people write it, with hostile names made harmless: `$.issues[0]["a b"]`.
pub(crate) fn path(place: &JsonPath) -> String {
    let mut path = String::from("$");
    for step in place.steps() {
        match step {
            Step::Index(index) => path.push_str(&format!("[{index}]")),
            Step::Key(name) if is_plain(name) => {
                path.push('.');
                path.push_str(name);
            }
            Step::Key(name) => {
                path.push_str("[\"");
                push_shortened(&mut path, name, '"', SHOWN);
                path.push_str("\"]");
            }
        }
    }
    path
}

/// Whether a name can follow a dot as it is.
fn is_plain(name: &str) -> bool {
    let mut characters = name.chars();
    name.len() <= SHOWN
        && characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|each| each.is_alphanumeric() || each == '_' || each == '-')
        && !name.chars().any(is_blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        text.chars().fold(String::new(), |mut result, character| {
            push(&mut result, character);
            result
        })
    }

    #[test]
    fn ordinary_text_of_any_language_is_unchanged() {
        for text in ["plain \"text\"", "Zürich", "naïve", "日本語", "हिन्दी", "e\u{301}", "🦀"]
        {
            assert_eq!(escaped(text), text);
        }
    }

    #[test]
    fn quotes_and_invisible_characters_are_escaped() {
        assert_eq!(escaped("a\nb\t\u{0}"), "a\\nb\\t\\0");
        assert_eq!(escaped("```</x>"), "```</x>");
        assert_eq!(escaped("\u{202e}\u{200b}\u{feff}\u{2028}"), "\\u{202e}\\u{200b}\\u{feff}\\u{2028}");
        assert_eq!(escaped("\u{3164}\u{fe0f}\u{e0041}\u{e0100}"), "\\u{3164}\\u{fe0f}\\u{e0041}\\u{e0100}");
        assert_eq!(escaped("\\u{3c}"), "\\\\u{3c}");
    }

    #[test]
    fn quoted_text_cannot_close_its_quotes_and_is_cut() {
        assert_eq!(quoted("it's"), "'it\\'s'");
        assert_eq!(quoted(&"x".repeat(61)), format!("'{}…'", "x".repeat(60)));
        assert_eq!(quoted(&"x".repeat(60)), format!("'{}'", "x".repeat(60)));
    }

    #[test]
    fn hostile_names_stay_inside_their_brackets() {
        let place = JsonPath::root().key("issues").index(0).key("a\"]\n</x>").key("größe");
        assert_eq!(path(&place), "$.issues[0][\"a\\\"]\\n</x>\"].größe");
    }

    #[test]
    fn a_long_name_is_cut_in_the_path() {
        let place = JsonPath::root().key(&"k".repeat(500));
        assert_eq!(path(&place), format!("$[\"{}…\"]", "k".repeat(60)));
    }
}
