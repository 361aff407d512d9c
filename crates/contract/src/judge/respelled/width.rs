//! Brackets and separators that are as wide as the letters of Chinese and Japanese: `｛"a"：1，"b"：2｝`.

/// A text with the narrow marks of JSON for the wide ones outside its strings. Nothing where there are none.
pub(super) fn narrowed(text: &str) -> Option<String> {
    let mut narrow = String::with_capacity(text.len());
    let mut closer = None;
    let (mut escaped, mut found) = (false, false);
    for mark in text.chars() {
        let written = match (closer, mark) {
            (Some(close), _) => {
                closer = Some(close).filter(|close| escaped || mark != *close);
                mark
            }
            (None, '"') => {
                closer = Some('"');
                mark
            }
            (None, '\u{201c}') => {
                closer = Some('\u{201d}');
                mark
            }
            (None, '\u{ff5b}') => '{',
            (None, '\u{ff5d}') => '}',
            (None, '\u{ff3b}') => '[',
            (None, '\u{ff3d}') => ']',
            (None, '\u{ff1a}') => ':',
            (None, '\u{ff0c}') => ',',
            (None, _) => mark,
        };
        found |= written != mark;
        escaped = mark == '\\' && !escaped;
        narrow.push(written);
    }
    found.then_some(narrow)
}

#[cfg(test)]
mod tests {
    use super::narrowed;

    #[test]
    fn marks_outside_of_strings_become_narrow() {
        for (text, expected) in [
            ("｛\"a\"：［1，2］｝", Some("{\"a\":[1,2]}")),
            ("{\"a\\\"：\"：\"，\"}", Some("{\"a\\\"：\":\"，\"}")),
            ("{“a，”：“：”}", Some("{“a，”:“：”}")),
            ("{\"a\": \"：\"}", None),
            ("", None),
        ] {
            assert_eq!(narrowed(text).as_deref(), expected, "{text}");
        }
    }
}
