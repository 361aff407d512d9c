//! Where a part of a value is in the text that the value was read from.
//!
//! This is for showing people the offending place, so it never fails: the text may be damaged, cut off or
//! repaired before it was judged, and then the deepest place that can still be found is given. It reads each
//! byte at most twice, however deep the place is. It is not a parser: it accepts anything and promises nothing
//! about whether the text is JSON.

use std::ops::Range;

/// The place of a part, as byte ranges of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The key of the value, with its quotes; `None` for the root and for items of arrays.
    pub key: Option<Range<usize>>,
    /// The value.
    pub value: Range<usize>,
    /// Whether this is the part that was asked for, and not only something around it.
    pub exact: bool,
}

impl Location {
    /// The range to mark for a reader. A value of several lines is better known by its name than by its first
    /// bracket.
    pub fn mark(self, text: &str) -> Range<usize> {
        match self.key {
            Some(key) if text.get(self.value.clone()).is_some_and(|value| value.contains('\n')) => key,
            _ => self.value,
        }
    }
}

/// Finds the part at a JSON pointer (RFC 6901) of the value that is at `candidate` in the text.
pub fn locate(text: &str, candidate: Range<usize>, pointer: &str) -> Location {
    let whole = if text.get(candidate.clone()).is_some() { candidate } else { 0..text.len() };
    let scanner = Scanner { text: text.get(..whole.end).unwrap_or_default() };
    let mut key = None;
    let mut start = scanner.skip_space(whole.start);
    let mut exact = true;
    let tokens = pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"));
    for (depth, token) in tokens.enumerate() {
        if depth == 0 && !matches!(scanner.byte(start), Some(b'{' | b'[')) {
            // A fence or a few words may be before the value.
            start = scanner.find_container(start).unwrap_or(start);
        }
        let Some(part) = scanner.part(start, &token) else {
            exact = false;
            break;
        };
        key = part.key;
        start = part.start;
    }
    Location { key, value: start..scanner.end_of_value(start), exact }
}

struct Scanner<'a> {
    text: &'a str,
}

/// A member or an item: its name and where its value begins.
struct Part {
    key: Option<Range<usize>>,
    start: usize,
}

impl Scanner<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn skip_while(&self, from: usize, accept: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        from + rest.iter().position(|byte| !accept(*byte)).unwrap_or(rest.len())
    }

    fn skip_space(&self, from: usize) -> usize {
        self.skip_while(from, |byte| byte.is_ascii_whitespace())
    }

    fn find_container(&self, from: usize) -> Option<usize> {
        let found = self.skip_while(from, |byte| !matches!(byte, b'{' | b'['));
        (found < self.text.len()).then_some(found)
    }

    fn part(&self, start: usize, token: &str) -> Option<Part> {
        match self.byte(start)? {
            b'{' => self.member(start + 1, token),
            b'[' => self.item(start + 1, token.parse().ok()?),
            _ => None,
        }
    }

    fn member(&self, mut at: usize, name: &str) -> Option<Part> {
        loop {
            at = self.skip_while(at, |byte| byte.is_ascii_whitespace() || byte == b',');
            if matches!(self.byte(at)?, b'}' | b']') {
                return None;
            }
            let key = at..self.end_of_key(at);
            let found = self.name_of(&key) == name;
            at = self.skip_while(key.end, |byte| byte.is_ascii_whitespace() || byte == b':');
            if found {
                return Some(Part { key: Some(key), start: at });
            }
            // A damaged member may be empty; the scan still has to move on.
            at = self.end_of_value(at).max(key.start + 1);
        }
    }

    fn item(&self, mut at: usize, index: usize) -> Option<Part> {
        let mut passed = 0;
        loop {
            at = self.skip_while(at, |byte| byte.is_ascii_whitespace() || byte == b',');
            if matches!(self.byte(at)?, b'}' | b']') {
                return None;
            }
            if passed == index {
                return Some(Part { key: None, start: at });
            }
            passed += 1;
            at = self.end_of_value(at).max(at + 1);
        }
    }

    fn end_of_key(&self, at: usize) -> usize {
        match self.byte(at) {
            Some(quote @ (b'"' | b'\'')) => self.end_of_string(at, quote),
            _ => {
                let end = self.skip_while(at, |byte| !matches!(byte, b':' | b',' | b'}' | b']' | b'\n'));
                self.trim_end(at, end)
            }
        }
    }

    fn name_of(&self, key: &Range<usize>) -> String {
        let written = self.text.get(key.clone()).unwrap_or_default();
        serde_json::from_str(written)
            .unwrap_or_else(|_| written.trim_matches(|mark| matches!(mark, '"' | '\'')).to_owned())
    }

    fn end_of_value(&self, start: usize) -> usize {
        match self.byte(start) {
            Some(quote @ (b'"' | b'\'')) => self.end_of_string(start, quote),
            Some(b'{' | b'[') => self.end_of_container(start),
            _ => {
                let end = self.skip_while(start, |byte| !matches!(byte, b',' | b'}' | b']' | b'\n'));
                self.trim_end(start, end)
            }
        }
    }

    fn end_of_string(&self, start: usize, quote: u8) -> usize {
        let mut at = start + 1;
        loop {
            at = self.skip_while(at, |byte| byte != quote && byte != b'\\');
            match self.byte(at) {
                None => return self.text.len(),
                Some(b'\\') => at = self.after_escape(at),
                Some(_) => return at + 1,
            }
        }
    }

    /// Past a backslash and the whole character after it.
    fn after_escape(&self, backslash: usize) -> usize {
        let escaped = self.text.get(backslash + 1..).and_then(|rest| rest.chars().next());
        backslash + 1 + escaped.map_or(0, char::len_utf8)
    }

    fn end_of_container(&self, start: usize) -> usize {
        let mut depth = 0_usize;
        let mut at = start;
        let mut previous = b',';
        while let Some(byte) = self.byte(at) {
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                // An apostrophe is a quote only where a token may begin; elsewhere it belongs to a word.
                b'"' | b'\'' if byte == b'"' || matches!(previous, b'{' | b'[' | b',' | b':') => {
                    at = self.end_of_string(at, byte);
                    previous = byte;
                    continue;
                }
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return at;
            }
            if !byte.is_ascii_whitespace() {
                previous = byte;
            }
        }
        self.trim_end(start, self.text.len())
    }

    fn trim_end(&self, start: usize, end: usize) -> usize {
        start + self.text.get(start..end).unwrap_or_default().trim_end().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, pointer: &str) -> (String, bool) {
        let location = locate(text, 0..text.len(), pointer);
        (text[location.value].to_owned(), location.exact)
    }

    fn exactly(text: &str) -> (String, bool) {
        (text.to_owned(), true)
    }

    #[test]
    fn members_and_items_are_found() {
        let text = r#" {"a": [1, {"b~/": "x\"y"}], "c": tr } "#;
        assert_eq!(found(text, "/a/0"), exactly("1"));
        assert_eq!(found(text, "/a/1"), exactly(r#"{"b~/": "x\"y"}"#));
        assert_eq!(found(text, "/a/1/b~0~1"), exactly(r#""x\"y""#));
        assert_eq!(found(text, "/c"), exactly("tr"));
        assert_eq!(found(text, ""), exactly(text.trim()));
    }

    #[test]
    fn the_key_is_part_of_the_location() {
        let text = r#"{"\u0061": 1}"#;
        assert_eq!(
            locate(text, 0..text.len(), "/a"),
            Location { key: Some(1..9), value: 11..12, exact: true }
        );
    }

    #[test]
    fn a_missing_part_is_located_at_its_deepest_parent() {
        let text = r#"{"a": {"b": 1}}"#;
        assert_eq!(found(text, "/a/x/y"), (r#"{"b": 1}"#.to_owned(), false));
        assert_eq!(found(text, "/a/b/c"), ("1".to_owned(), false));
        assert_eq!(found("[1, 2]", "/7"), ("[1, 2]".to_owned(), false));
        assert_eq!(found("[1, 2]", "/x"), ("[1, 2]".to_owned(), false));
    }

    #[test]
    fn damaged_text_is_still_read() {
        assert_eq!(found("{a: 'it is', b: [1,,2], 'c': don't", "/a"), exactly("'it is'"));
        assert_eq!(found("{a: 'it is', b: [1,,2], 'c': don't", "/b/1"), exactly("2"));
        assert_eq!(found("{a: 'it is', b: [1,,2], 'c': don't", "/c"), exactly("don't"));
        assert_eq!(found(r#"{"a": "cut off"#, "/a"), exactly(r#""cut off"#));
        assert_eq!(found("{\"a\": {\"b\": 1 \n", "/a"), exactly("{\"b\": 1"));
        assert_eq!(found("Here: {\"a\": 1}", "/a"), exactly("1"));
        assert_eq!(found("{\"é\\é", "/x"), ("{\"é\\é".to_owned(), false));
    }

    #[test]
    fn the_candidate_bounds_the_search() {
        let text = r#"first {"a": 1} then {"a": 2}"#;
        let second = locate(text, 20..text.len(), "/a");
        assert_eq!(&text[second.value], "2");
        let outside = locate(text, 20..999, "/a");
        assert_eq!(&text[outside.value], "1");
    }

    proptest::proptest! {
        #[test]
        fn any_text_has_a_location_within_bounds(text in "[{}\\[\\]\"':,a\\\\é \n]{0,40}", pointer in "(/[a0-2é]){0,3}") {
            let location = locate(&text, 0..text.len(), &pointer);
            proptest::prop_assert!(text.get(location.value).is_some());
            proptest::prop_assert!(location.key.is_none_or(|key| text.get(key).is_some()));
        }
    }
}
