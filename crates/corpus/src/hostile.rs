//! Texts made to cost more than they should: each repeats one thing that a scanner might look at twice.

#[derive(Debug, Clone, Copy)]
pub struct Hostile {
    pub name: &'static str,
    head: &'static str,
    unit: &'static str,
    tail: &'static str,
}

impl Hostile {
    /// A text of this kind, no longer than `bytes`, with as many repetitions as fit.
    pub fn text(self, bytes: usize) -> String {
        let times = bytes.saturating_sub(self.head.len()) / (self.unit.len() + self.tail.len());
        format!("{}{}{}", self.head, self.unit.repeat(times), self.tail.repeat(times))
    }
}

const fn repeated(name: &'static str, unit: &'static str) -> Hostile {
    Hostile { name, head: "", unit, tail: "" }
}

const fn after(name: &'static str, head: &'static str, unit: &'static str) -> Hostile {
    Hostile { name, head, unit, tail: "" }
}

const fn nested(name: &'static str, unit: &'static str, tail: &'static str) -> Hostile {
    Hostile { name, head: "", unit, tail }
}

pub const HOSTILE: &[Hostile] = &[
    repeated("opening braces", "{"),
    repeated("opening brackets", "["),
    repeated("quotes", "\""),
    repeated("backticks", "`"),
    repeated("fences opened", "```json\n"),
    repeated("fences of two kinds", "```\n~~~\n"),
    repeated("fences around openers", "```json\n{\"a\":\n"),
    repeated("small objects", "{\"a\":1} "),
    repeated("small broken objects", "{'a':1,} "),
    nested("balanced arrays", "[", "]"),
    nested("balanced objects", "{\"a\":", "}"),
    repeated("objects never closed", "{\"a\":"),
    repeated("think tags", "<think>"),
    nested("nested think tags", "<think>", "</think>"),
    repeated("other tags", "<a>"),
    repeated("backslashes", "\\"),
    after("backslashes in a string", "{\"a\":\"", "\\"),
    repeated("quotes and colons", "\":"),
    repeated("keys without values", "\"a\":"),
    repeated("openers and quotes", "[{\""),
    after("a list never closed", "[", "1,"),
    after("members never ended", "{", "\"a\":1,"),
    after("quotes inside a string", "{\"a\":\"", "x \"y\" "),
    after("strings without commas", "[", "\"a\" "),
    repeated("commas", ","),
    repeated("bare words", "{a:b "),
    repeated("comments opened", "/*"),
    repeated("comment lines", "//\n"),
    after("digits", "", "1"),
    after("a long number in a list", "[", "7"),
    repeated("mismatched closers", "{]"),
    repeated("closers", "}"),
    repeated("null characters", "\0"),
    repeated("wide characters", "\u{1f600}\u{201c}"),
    repeated("prose", "The result is {not} here, [sic]. "),
    repeated("white space", " \n"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_as_long_as_asked() {
        for hostile in HOSTILE {
            let text = hostile.text(4096);
            assert!((4060..=4096).contains(&text.len()), "{}: {}", hostile.name, text.len());
        }
    }

    #[test]
    fn nesting_closes_what_it_opens() {
        assert_eq!(nested("", "[", "]").text(6), "[[[]]]");
        assert_eq!(after("", "{", "a").text(4), "{aaa");
    }
}
