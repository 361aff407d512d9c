//! Plain text that may hold a NUL, which PostgreSQL's `text` cannot.
//!
//! The control character SUBSTITUTE escapes what cannot be written: followed by `0` it is a NUL, doubled it is itself.
//! Nearly every text is without both and is stored as it is. JSON needs none of this: it writes a NUL as `\u0000`.

use std::borrow::Cow;

const MARK: char = '\u{1a}';

/// The text as it is stored.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', MARK]) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for each in text.chars() {
        match each {
            '\0' => escaped.extend([MARK, '0']),
            MARK => escaped.extend([MARK, MARK]),
            other => escaped.push(other),
        }
    }
    Cow::Owned(escaped)
}

/// The text as it was.
pub(crate) fn unescape(stored: String) -> String {
    if !stored.contains(MARK) {
        return stored;
    }
    let mut text = String::with_capacity(stored.len());
    let mut characters = stored.chars();
    while let Some(each) = characters.next() {
        match each {
            MARK if characters.next() == Some('0') => text.push('\0'),
            other => text.push(other),
        }
    }
    text
}

/// [`escape`] where there is a text.
pub(crate) fn escape_some(text: Option<&String>) -> Option<Cow<'_, str>> {
    text.map(|text| escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back() {
        for text in ["", "plain", "\0", "a\0b", "\u{1a}", "\u{1a}0", "\u{1a}\0\u{1a}\u{1a}0\0", "ü\0\u{1a}ü"]
        {
            let stored = escape(text);
            assert!(!stored.contains('\0'), "{text:?}");
            assert_eq!(unescape(stored.into_owned()), text);
        }
    }

    #[test]
    fn different_texts_are_stored_differently() {
        let stored: std::collections::BTreeSet<_> =
            ["\0", "\u{1a}", "\u{1a}0", "\u{1a}\u{1a}", "0"].map(|text| escape(text).into_owned()).into();
        assert_eq!(stored.len(), 5);
    }
}
