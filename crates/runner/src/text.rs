//! Texts made to fit.

/// A text of about this many bytes at most: its beginning and its end, and how much was left out.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(limit / 3 * 2);
    let tail = text.ceil_char_boundary(text.len() - limit / 3);
    let begin = text.get(..head).unwrap_or_default();
    let end = text.get(tail..).unwrap_or_default();
    format!("{begin}\n[… {} bytes omitted …]\n{end}", tail - head)
}

/// A text of this many bytes at most: its end, and how much was left out before it.
pub(crate) fn shortened_front(text: &str, limit: usize) -> String {
    /// For the words about what was left out.
    const WORDS: usize = 48;
    if text.len() <= limit {
        return text.to_owned();
    }
    let tail = text.ceil_char_boundary(text.len().saturating_sub(limit.saturating_sub(WORDS)));
    format!("[… {tail} bytes omitted …]\n{}", text.get(tail..).unwrap_or_default())
}

/// The beginning of a text, on one line.
pub(crate) fn beginning(text: &str, limit: usize) -> String {
    let end = text.floor_char_boundary(limit);
    let begin = text.get(..end).unwrap_or_default().escape_debug().to_string();
    if end < text.len() { format!("{begin}…") } else { begin }
}

/// A number with its word: `1 retry`, `2 retries`.
pub(crate) fn counted(count: u32, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_stays_and_a_long_one_loses_its_middle() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcdefghijkl", 6), "abcd\n[… 6 bytes omitted …]\nkl");
    }

    #[test]
    fn the_end_of_a_long_text_is_kept() {
        assert_eq!(shortened_front("abc", 3), "abc");
        let text = "ü".repeat(100);
        let short = shortened_front(&text, 60);
        assert_eq!(short, format!("[… 188 bytes omitted …]\n{}", "ü".repeat(6)));
        assert!(short.len() <= 60);
    }

    #[test]
    fn no_character_is_cut() {
        let text = "ü".repeat(10);
        assert_eq!(shortened(&text, 9), "üüü\n[… 12 bytes omitted …]\nü");
        assert_eq!(beginning("üüü", 3), "ü…");
        assert_eq!(beginning("a\n", 9), "a\\n");
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(1, "retry", "retries"), "1 retry");
        assert_eq!(counted(0, "retry", "retries"), "0 retries");
    }
}
