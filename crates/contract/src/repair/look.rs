//! Looking ahead: what stands at a position, and what could follow there. All of it reads a bounded stretch.

use super::token::Quote;
use crate::surround::{LITERALS, MAX_KEY_BYTES};

/// The characters that some editors and models use as white space.
const OTHER_SPACES: &[char] = &[
    '\u{a0}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{3000}', '\u{202f}', '\u{205f}',
    '\u{180e}', '\u{b}', '\u{c}', '\u{85}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{202a}',
    '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];

/// The letters before the strings of Python.
const STRING_PREFIXES: &[&str] = &["u", "b", "r", "f", "br", "rb", "fr", "rf"];

/// White space and comments, and where they end.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Blank {
    pub(super) end: usize,
    pub(super) comment: bool,
    pub(super) other_space: bool,
    pub(super) line_break: bool,
}

/// The text under repair, with byte access that never fails.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
}

impl<'a> Look<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, bytes: text.as_bytes() }
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    pub(super) fn byte_before(&self, at: usize) -> Option<u8> {
        self.byte(at.checked_sub(1)?)
    }

    pub(super) fn starts(&self, at: usize, prefix: &str) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(prefix.as_bytes()))
    }

    pub(super) fn character(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    /// Skips white space and comments, but not one that says that something was left out. In the place of a
    /// value, `#` and `/` may begin words instead.
    pub(super) fn blank(&self, from: usize, value_place: bool) -> Blank {
        let mut blank = Blank { end: from, ..Blank::default() };
        loop {
            match self.byte(blank.end) {
                Some(b'/' | b'#') if self.is_omission(blank.end) => return blank,
                Some(b' ' | b'\t' | b'\r') => blank.end += 1,
                Some(b'\n') => {
                    blank.end += 1;
                    blank.line_break = true;
                }
                Some(b'/') if self.starts(blank.end, "//") && !self.follows_word(blank.end) => {
                    blank = self.line_comment(blank);
                }
                Some(b'/') if self.starts(blank.end, "/*") => {
                    let inside = self.text.get(blank.end + 2..).unwrap_or_default();
                    blank.end = inside.find("*/").map_or(self.bytes.len(), |end| blank.end + end + 4);
                    blank.comment = true;
                }
                Some(b'#') if self.follows_text(blank.end) => return blank,
                Some(b'#') if !value_place || matches!(self.byte(blank.end + 1), Some(b' ' | b'\t')) => {
                    blank = self.line_comment(blank);
                }
                Some(0xb | 0xc | 0xc2 | 0xe1..=0xe3 | 0xef) => match self.character(blank.end) {
                    Some(space)
                        if OTHER_SPACES.contains(&space) || ('\u{2000}'..='\u{200a}').contains(&space) =>
                    {
                        blank.end += space.len_utf8();
                        blank.other_space = true;
                    }
                    _ => return blank,
                },
                _ => return blank,
            }
        }
    }

    /// Whether dots stand here, or a comment that says that something was left out: it begins with dots, or has words
    /// for that.
    pub(super) fn is_omission(&self, at: usize) -> bool {
        /// Comments are not indented by more.
        const INDENT: usize = 8;
        let mark = ["//", "/*", "#"].into_iter().find(|mark| self.starts(at, mark)).unwrap_or_default();
        let inside = self.bytes.get(at + mark.len()..).unwrap_or_default().iter().take(INDENT);
        let spaces = inside.take_while(|byte| !mark.is_empty() && matches!(byte, b' ' | b'\t')).count();
        let dots = at + mark.len() + spaces;
        self.starts(dots, "...")
            || self.starts(dots, "\u{2026}")
            || (!mark.is_empty() && self.tells_omission(at, mark))
    }

    /// Whether a byte stands directly behind a word or a quote, where no comment begins.
    fn follows_text(&self, at: usize) -> bool {
        self.byte_before(at).is_some_and(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'"' | b'\'') || !byte.is_ascii()
        })
    }

    /// Whether a byte stands directly behind a number or a word without quotes: `7//2` has no comment.
    fn follows_word(&self, at: usize) -> bool {
        self.text.get(..at).and_then(|before| before.chars().next_back()).is_some_and(char::is_alphanumeric)
    }

    fn line_comment(&self, mut blank: Blank) -> Blank {
        let rest = self.bytes.get(blank.end..).unwrap_or_default();
        blank.end += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        blank.comment = true;
        blank
    }

    /// Whether the enclosing text takes over here: its end, a closing fence, a closing tag.
    pub(super) fn is_end(&self, at: usize) -> bool {
        at >= self.bytes.len()
            || self.starts(at, "```")
            || self.starts(at, "~~~")
            || self.starts(at, "</")
            || self.starts(at, "<|")
            || self.starts(at, "<\u{ff5c}")
            || self.starts(at, "]]>")
    }

    /// How far the next bracket behind a place is, and whether it closes: then the value goes on there.
    pub(super) fn closes_behind(&self, at: usize) -> (usize, bool) {
        /// Far enough to see the end of a member; a longer stretch is prose.
        const STRETCH: usize = 2048;
        let from = if self.starts(at, "]]>") { at + 3 } else { at };
        let rest = self.bytes.get(from..self.bytes.len().min(from + STRETCH)).unwrap_or_default();
        let bracket = rest.iter().position(|byte| matches!(byte, b'{' | b'[' | b'}' | b']'));
        let closes =
            bracket.and_then(|found| rest.get(found)).is_some_and(|byte| matches!(byte, b'}' | b']'));
        (bracket.unwrap_or(rest.len()), closes)
    }

    /// Whether a comma here may stand inside a number: a digit follows directly, and it begins no key.
    pub(super) fn goes_on_with_digit(&self, comma: usize) -> bool {
        self.byte(comma + 1).is_some_and(|byte| byte.is_ascii_digit()) && !self.is_key(comma + 1)
    }

    /// Whether a key without quotes, a colon and a value stand here.
    pub(super) fn is_bare_member(&self, at: usize) -> bool {
        let length = self.bare_key_length(at);
        let colon = self.blank(at + length, false).end;
        length > 0 && self.is_key(at) && self.is_value(self.blank(colon + 1, true).end)
    }

    /// The quote mark that opens a string here, and its length.
    pub(super) fn opening_quote(&self, at: usize) -> Option<(Quote, usize)> {
        match self.byte(at)? {
            b'"' if self.starts(at, "\"\"\"") => Some((Quote::TripleDouble, 3)),
            b'\'' if self.starts(at, "'''") => Some((Quote::TripleSingle, 3)),
            b'"' if self.starts(at, "\"\"") && self.is_word_start(at + 2) => Some((Quote::TwiceDouble, 2)),
            b'\'' if self.starts(at, "''") && self.is_word_start(at + 2) => Some((Quote::TwiceSingle, 2)),
            b'"' => Some((Quote::Double, 1)),
            b'\'' => Some((Quote::Single, 1)),
            b'`' if !self.starts(at, "```") => Some((Quote::Backtick, 1)),
            0xe2 => match self.character(at)? {
                '\u{201c}' | '\u{201d}' | '\u{201e}' => Some((Quote::SmartDouble, 3)),
                '\u{2018}' | '\u{2019}' => Some((Quote::SmartSingle, 3)),
                _ => None,
            },
            0xc2 if self.starts(at, "\u{b4}") => Some((Quote::SmartSingle, 2)),
            _ => None,
        }
    }

    /// The letters that Python writes directly before the mark of a string, where they stand here.
    pub(super) fn string_prefix(&self, at: usize) -> Option<&'a str> {
        let letters = |length: usize| self.text.get(at..at + length);
        let is_prefix = |prefix: &&str| {
            STRING_PREFIXES.iter().any(|known| prefix.eq_ignore_ascii_case(known))
                && matches!(self.byte(at + prefix.len()), Some(b'"' | b'\''))
                && !self.is_stray_quote(at + prefix.len())
        };
        [1, 2].into_iter().filter_map(letters).find(is_prefix)
    }

    /// Whether `u'…'` stands here, which is a string.
    fn is_unicode_string(&self, at: usize) -> bool {
        self.string_prefix(at).is_some_and(|prefix| prefix.eq_ignore_ascii_case("u"))
    }

    /// The length of the mark at a position if it can close such a string.
    pub(super) fn closing_quote(&self, at: usize, quote: Quote) -> Option<usize> {
        let marks: &[&str] = match quote {
            Quote::Double => &["\""],
            Quote::Single => &["'"],
            Quote::Backtick => &["`"],
            Quote::SmartDouble => &["\u{201d}", "\u{201c}", "\""],
            Quote::SmartSingle => &["\u{2019}", "\u{2018}", "\u{b4}", "'"],
            Quote::TripleDouble => &["\"\"\""],
            Quote::TripleSingle => &["'''"],
            Quote::TwiceDouble => &["\"\"", "\""],
            Quote::TwiceSingle => &["''", "'"],
        };
        marks.iter().find(|mark| self.starts(at, mark)).map(|mark| mark.len())
    }

    fn is_word_start(&self, at: usize) -> bool {
        self.character(at).is_some_and(char::is_alphanumeric)
    }

    /// Whether a key and a colon stand here: the surest sign of where a member of an object begins.
    pub(super) fn is_key(&self, at: usize) -> bool {
        let at = at + usize::from(self.is_unicode_string(at));
        match self.opening_quote(at) {
            Some((quote, length)) => {
                let close = self.closing_at(at + length, quote);
                close.is_some_and(|(inside, close)| self.is_colon(inside + close))
            }
            None => {
                let length = self.bare_key_length(at);
                length > 0 && self.is_colon(at + length) && !self.starts(at + length, "://")
            }
        }
    }

    /// Whether a key in quotes stands here and the text ends behind it or inside it.
    pub(super) fn is_cut_key(&self, at: usize) -> bool {
        let Some((quote, length)) = self.opening_quote(at) else { return false };
        match self.closing_at(at + length, quote) {
            Some((inside, close)) => self.blank(inside + close, false).end >= self.bytes.len(),
            None => at + MAX_KEY_BYTES >= self.bytes.len(),
        }
    }

    /// Where the string that begins before this byte closes, if it does so soon.
    pub(super) fn closing_at(&self, from: usize, quote: Quote) -> Option<(usize, usize)> {
        let limit = (from + MAX_KEY_BYTES).min(self.bytes.len());
        let mut inside = from;
        while inside < limit {
            if let Some(close) = self.closing_quote(inside, quote) {
                return Some((inside, close));
            }
            inside += if self.byte(inside) == Some(b'\\') { 2 } else { 1 };
        }
        None
    }

    /// Whether a string in quotes with a value behind it stands here: a member whose colon is missing.
    pub(super) fn is_key_without_colon(&self, at: usize) -> bool {
        let Some((quote, length)) = self.opening_quote(at) else { return false };
        let close = self.closing_at(at + length, quote);
        close.is_some_and(|(inside, close)| self.is_value(self.blank(inside + close, true).end))
    }

    /// Whether a key in quotes and its colon stand here.
    pub(super) fn is_quoted_key(&self, at: usize) -> bool {
        self.opening_quote(at).is_some() && self.is_key(at)
    }

    fn is_colon(&self, at: usize) -> bool {
        self.byte(self.blank(at, false).end) == Some(b':')
    }

    /// The length of a name without quotes.
    pub(super) fn bare_key_length(&self, at: usize) -> usize {
        let mut length = 0;
        while length < MAX_KEY_BYTES {
            match self.character(at + length) {
                Some(letter)
                    if letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-' | '.' | '@' | '/') =>
                {
                    length += letter.len_utf8();
                }
                _ => break,
            }
        }
        // A slash begins no name; it begins a comment or a path.
        if self.byte(at) == Some(b'/') { 0 } else { length }
    }

    /// Whether a quote mark stands here with a separator or a closing bracket behind it: it opens no string.
    pub(super) fn is_stray_quote(&self, at: usize) -> bool {
        self.opening_quote(at).is_some_and(|(_, length)| {
            let rest = self.bytes.get(at + length..).unwrap_or_default().trim_ascii_start();
            matches!(rest.first(), Some(b',' | b':' | b']' | b'}'))
        })
    }

    /// Whether something that can only be a value begins here.
    pub(super) fn is_value(&self, at: usize) -> bool {
        match self.byte(at) {
            Some(b'{' | b'[' | b'"' | b'\'' | b'0'..=b'9') => true,
            Some(b'-') => matches!(self.byte(at + 1), Some(b'.' | b'0'..=b'9')),
            Some(_) if self.opening_quote(at).is_some() || self.is_unicode_string(at) => true,
            Some(byte) if byte.is_ascii_alphabetic() => {
                let length = self.bare_key_length(at);
                self.bytes.get(at..at + length).is_some_and(|word| LITERALS.contains(&word))
            }
            _ => false,
        }
    }
}
