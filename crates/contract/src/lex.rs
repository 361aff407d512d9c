//! The one place that knows how tokens are written: space, comments, quotes, keys, literals, numbers, escapes.
//!
//! It is tolerant: it knows the spellings of JSON and those that models use instead. It decides nothing: a caller asks
//! what is at a byte and how far it reaches.

use crate::number;
use crate::parse;

/// How long a key may be to be recognised as one by looking ahead. Looking ahead happens at every comma, so it needs a
/// bound; names are a few words.
const MAX_KEY_BYTES: usize = 256;

/// All characters that are written as quotes, also those that open no string here.
#[rustfmt::skip]
pub(crate) const QUOTES: [char; 29] = [
    '"', '\'', '`', '\u{b4}', '\u{ab}', '\u{bb}', '\u{2ee}', '\u{2018}', '\u{2019}', '\u{201a}', '\u{201b}', '\u{201c}', '\u{201d}',
    '\u{201e}', '\u{201f}', '\u{2032}', '\u{2033}', '\u{2039}', '\u{203a}', '\u{275d}', '\u{275e}', '\u{300c}', '\u{300d}', '\u{301d}',
    '\u{301e}', '\u{301f}', '\u{ff02}', '\u{ff07}', '\u{2036}',
];

/// A quote as HTML writes it.
const HTML_QUOTES: [&str; 3] = ["&quot;", "&#34;", "&apos;"];

/// The marks that people and models put around strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quote {
    Double,
    Single,
    Backtick,
    SmartDouble,
    SmartSingle,
    WideDouble,
    TripleDouble,
    TripleSingle,
    DoubledDouble,
    DoubledSingle,
}

/// Space and comments up to a byte.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Blank {
    pub(crate) end: usize,
    pub(crate) line_break: bool,
    pub(crate) comment: bool,
    /// A space that JSON does not have.
    pub(crate) other_space: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    Number,
    /// A number that JSON writes otherwise: `.5`, `+1`, `1_000`.
    OtherNumber,
    True,
    False,
    Null,
    /// A literal of Python or JavaScript.
    OtherTrue,
    OtherFalse,
    OtherNull,
    Text,
}

/// A text, looked at byte by byte up to a limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lex<'a> {
    pub(crate) text: &'a str,
}

impl<'a> Lex<'a> {
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    pub(crate) fn starts(&self, at: usize, mark: &str) -> bool {
        self.text.as_bytes().get(at..).is_some_and(|rest| rest.starts_with(mark.as_bytes()))
    }

    pub(crate) fn character(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    pub(crate) fn character_before(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }

    /// Skips space and comments. A comment that holds an omission mark is not skipped: it says that something is missing.
    pub(crate) fn blank(&self, from: usize) -> Blank {
        let mut blank = Blank { end: from, ..Blank::default() };
        loop {
            match self.byte(blank.end) {
                Some(b' ' | b'\t' | b'\r') => blank.end += 1,
                Some(b'\n') => {
                    blank.end += 1;
                    blank.line_break = true;
                }
                Some(b'/' | b'#') => match self.comment_end(blank.end) {
                    Some(end) => {
                        blank.line_break |=
                            self.text.get(blank.end..end).is_some_and(|inside| inside.contains('\n'));
                        blank.comment = true;
                        blank.end = end;
                    }
                    None => return blank,
                },
                Some(byte) if byte.is_ascii_graphic() => return blank,
                _ => match self.character(blank.end) {
                    Some(space)
                        if space.is_whitespace() || matches!(space, '\u{200b}' | '\u{feff}' | '\u{2060}') =>
                    {
                        blank.end += space.len_utf8();
                        blank.other_space = true;
                    }
                    _ => return blank,
                },
            }
        }
    }

    /// Skips white space only. Unlike comments it is short, so looking ahead over it costs nothing.
    pub(crate) fn space_end(&self, from: usize) -> usize {
        let rest = self.text.get(from..).unwrap_or_default();
        from + (rest.len() - rest.trim_ascii_start().len())
    }

    /// Where the comment that begins here ends. `#` and `//` directly after a word or a quote are part of a text, and `#`
    /// directly before a word begins a tag.
    pub(crate) fn comment_end(&self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?;
        let end = if let Some(inside) = rest.strip_prefix("/*") {
            at + 2 + inside.find("*/")? + 2
        } else {
            let is_hash = rest.starts_with('#') && rest.get(1..)?.starts_with([' ', '\t', '\n', '#', '!']);
            let before = self.character_before(at);
            let stands_free =
                before.is_none_or(|before| before.is_whitespace() || "{}[],:/".contains(before));
            (is_hash || rest.starts_with("//")).then_some(()).filter(|()| stands_free)?;
            at + rest.find('\n').unwrap_or(rest.len())
        };
        let inside = self.text.get(at..end)?;
        (!has_omission(inside)).then_some(end)
    }

    /// Whether the text around the candidate takes over here: its end, a closing fence, a tag.
    pub(crate) fn is_end(&self, at: usize) -> bool {
        at >= self.text.len()
            || ["```", "~~~", "</", "<|", "<\u{ff5c}", "]]>"].iter().any(|mark| self.starts(at, mark))
    }

    /// The quote that opens a string here, and its length.
    pub(crate) fn opening_quote(&self, at: usize) -> Option<(Quote, usize)> {
        match self.byte(at)? {
            b'"' if self.starts(at, "\"\"\"") => Some((Quote::TripleDouble, 3)),
            b'\'' if self.starts(at, "'''") => Some((Quote::TripleSingle, 3)),
            b'"' => Some((Quote::Double, 1)),
            b'\'' => Some((Quote::Single, 1)),
            b'`' if !self.starts(at, "```") => Some((Quote::Backtick, 1)),
            0xe2 => match self.character(at)? {
                '\u{201c}' | '\u{201d}' | '\u{201e}' => Some((Quote::SmartDouble, 3)),
                '\u{2018}' | '\u{2019}' => Some((Quote::SmartSingle, 3)),
                _ => None,
            },
            0xef => (self.character(at)? == '\u{ff02}').then_some((Quote::WideDouble, 3)),
            _ => None,
        }
    }

    /// The doubled quote here, as in `""name""`, where a word follows it.
    pub(crate) fn doubled_quote(&self, at: usize) -> Option<(Quote, usize)> {
        let quote = match () {
            () if self.starts(at, "\"\"") => Quote::DoubledDouble,
            () if self.starts(at, "''") => Quote::DoubledSingle,
            () => return None,
        };
        self.character(at + 2).is_some_and(char::is_alphanumeric).then_some((quote, 2))
    }

    /// The length of the mark here if it can close such a string.
    pub(crate) fn closing_quote(&self, at: usize, quote: Quote) -> Option<usize> {
        let marks: &[&str] = match quote {
            Quote::Double => &["\""],
            Quote::Single => &["'"],
            Quote::Backtick => &["`"],
            Quote::SmartDouble => &["\u{201d}", "\u{201c}", "\""],
            Quote::SmartSingle => &["\u{2019}", "\u{2018}", "'"],
            Quote::WideDouble => &["\u{ff02}"],
            Quote::TripleDouble => &["\"\"\""],
            Quote::TripleSingle => &["'''"],
            Quote::DoubledDouble => &["\"\""],
            Quote::DoubledSingle => &["''"],
        };
        marks.iter().find(|mark| self.starts(at, mark)).map(|mark| mark.len())
    }

    /// Whether a single quote here is an apostrophe: it is between two letters.
    pub(crate) fn is_apostrophe(&self, at: usize, length: usize) -> bool {
        self.character_before(at).is_some_and(char::is_alphanumeric)
            && self.character(at + length).is_some_and(char::is_alphanumeric)
    }

    /// Where the key that begins here ends, if a colon follows it.
    pub(crate) fn key_end(&self, at: usize) -> Option<usize> {
        let end = match self.doubled_quote(at).or_else(|| self.opening_quote(at)) {
            Some((quote, length)) => self.string_end(at + length, quote)?,
            None => at + self.bare_key_length(at).filter(|length| *length > 0)?,
        };
        let colon = self.space_end(end);
        (self.byte(colon) == Some(b':') && !self.starts(colon, "://")).then_some(end)
    }

    /// Where a key in quotes and its colon end, if that is here.
    pub(crate) fn quoted_key_end(&self, at: usize) -> Option<usize> {
        self.opening_quote(at).and_then(|_| self.key_end(at))
    }

    fn string_end(&self, from: usize, quote: Quote) -> Option<usize> {
        let mut at = from;
        while at < from + MAX_KEY_BYTES {
            if let Some(length) = self.closing_quote(at, quote) {
                return Some(at + length);
            }
            at += match self.byte(at)? {
                b'\\' => 2,
                _ => 1,
            };
        }
        None
    }

    /// The names before colons and equals signs: what is written where keys are, however damaged the rest is.
    pub(crate) fn keys(self) -> impl Iterator<Item = &'a str> {
        let is_name =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-' | '.' | '@');
        self.text.match_indices([':', '=']).filter_map(move |(colon, _)| {
            let before = self.text.get(..colon)?.trim_end();
            let name = before.trim_end_matches(QUOTES);
            match name.len() < before.len() {
                true => name.strip_suffix('\\').unwrap_or(name).rsplit(QUOTES).next(),
                false => name.rsplit(|letter| !is_name(letter)).next(),
            }
        })
    }

    /// The length of a key without quotes.
    pub(crate) fn bare_key_length(&self, at: usize) -> Option<usize> {
        let rest = self.text.get(at..)?;
        let is_name =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '-' | '.' | '@');
        let name = rest.char_indices().take(MAX_KEY_BYTES).find(|(_, letter)| !is_name(*letter));
        Some(name.map_or(rest.len().min(MAX_KEY_BYTES), |(length, _)| length))
    }

    /// Whether a string, a bracket, a number or a literal begins here: something that can only be a value.
    pub(crate) fn is_value(&self, at: usize) -> bool {
        match self.byte(at) {
            Some(b'{' | b'[' | b'0'..=b'9') => true,
            Some(b'-' | b'+' | b'.') => matches!(self.byte(at + 1), Some(b'.' | b'0'..=b'9')),
            Some(byte) if byte.is_ascii_alphabetic() => {
                let length = self.bare_key_length(at).unwrap_or_default();
                self.text
                    .get(at..at + length)
                    .is_some_and(|word| classify(word).is_some_and(|kind| kind != Word::Text))
            }
            _ => self.opening_quote(at).is_some(),
        }
    }

    /// Where the group that opens here ends: after the bracket that closes it. Only double quotes make strings, because
    /// prose has apostrophes. The error is where it stops instead: at a fence that begins a line, or at the end.
    pub(crate) fn group_end(&self, start: usize) -> Result<usize, usize> {
        let mut open = Vec::new();
        let mut squares = 0_usize;
        let mut at = start;
        let mut in_string = false;
        while let Some(byte) = self.byte(at) {
            match byte {
                b'\\' if in_string => at += 1,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'{' => open.push(b'}'),
                b'[' => {
                    open.push(b']');
                    squares += 1;
                }
                b'}' | b']' => {
                    // A closer of an outer container closes the inner ones too; an unmatched one closes the innermost.
                    let is_open = if byte == b']' { squares > 0 } else { open.len() > squares };
                    while let Some(closer) = open.pop() {
                        squares -= usize::from(closer == b']');
                        if closer == byte || !is_open {
                            break;
                        }
                    }
                    if open.is_empty() {
                        return Ok(at + 1);
                    }
                }
                b'\n' if self.begins_fence(at + 1) => return Err(at),
                _ => {}
            }
            at += 1;
        }
        Err(self.text.len())
    }

    /// Whether a line is the mark of a fence.
    fn begins_fence(&self, line: usize) -> bool {
        let rest = self.text.get(line..).unwrap_or_default().trim_start_matches([' ', '\t']);
        rest.starts_with("```") || rest.starts_with("~~~")
    }
}

/// Dots that mark an omission.
pub(crate) const OMISSIONS: [&str; 4] = ["...", "\u{2026}", "\u{22ef}", ". . ."];

pub(crate) fn has_omission(text: &str) -> bool {
    OMISSIONS.iter().any(|mark| text.contains(mark))
}

/// Whether a text begins or ends with a quote of any kind.
pub(crate) fn is_beside_quote(text: &str) -> bool {
    let is_html = |mark: &&str| text.starts_with(*mark) || text.ends_with(*mark);
    text.starts_with(QUOTES) || text.ends_with(QUOTES) || HTML_QUOTES.iter().any(is_html)
}

/// Whether a string in single quotes has an apostrophe that is not escaped.
pub(crate) fn has_apostrophe(written: &str) -> bool {
    written
        .match_indices(['\'', '\u{2019}'])
        .any(|(at, _)| !written.get(..at).is_some_and(|before| before.ends_with('\\')))
}

/// The kind of an unquoted scalar; `None` if it is not a value.
pub(crate) fn classify(word: &str) -> Option<Word> {
    let is = |spellings: &[&str]| spellings.iter().any(|known| known.eq_ignore_ascii_case(word));
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    Some(match word {
        "true" => Word::True,
        "false" => Word::False,
        "null" => Word::Null,
        _ if is(&["true"]) => Word::OtherTrue,
        _ if is(&["false"]) => Word::OtherFalse,
        _ if is(&["null", "none", "nil", "undefined"]) => Word::OtherNull,
        _ if ["nan", "inf", "infinity"].iter().any(|known| known.eq_ignore_ascii_case(unsigned)) => {
            return None;
        }
        _ if parse::is_number(word) => Word::Number,
        _ if other_number(word).is_some() => Word::OtherNumber,
        _ => Word::Text,
    })
}

/// Whether words without quotes begin like a number: `1e`, `007`, `5 kg`, `-.x`. A date, a time and an address do not.
pub(crate) fn begins_number(words: &str) -> bool {
    let unsigned = words.trim_start_matches(['+', '-', '.', '_', ' ']);
    let first = unsigned.split_whitespace().next().unwrap_or_default();
    let is_number =
        first.starts_with(|letter: char| letter.is_ascii_digit()) || words.starts_with(['+', '-', '.']);
    is_number && !first.contains(['-', ':', '/', '@'])
}

/// A number of another notation as JSON writes it: with a sign, without a leading zero, with underscores between digits.
pub(crate) fn other_number(word: &str) -> Option<String> {
    let (sign, body) = match word.strip_prefix('-') {
        Some(body) => ("-", body),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    if !body.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    let between_digits = |(at, _): (usize, &str)| {
        let digit = |index: usize| body.as_bytes().get(index).is_some_and(u8::is_ascii_digit);
        at > 0 && digit(at - 1) && digit(at + 1)
    };
    if !body.match_indices('_').all(between_digits) {
        return None;
    }
    let digits = body.replace('_', "");
    let digits = digits
        .strip_suffix('.')
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        .unwrap_or(&digits);
    let zero = if digits.starts_with('.') { "0" } else { "" };
    let plain = format!("{sign}{zero}{digits}");
    (parse::is_number(&plain) && number::is_kept(&plain)).then_some(plain)
}

/// A string's content with its escapes read, and whether it has one that JSON does not have. `None` where an escape can
/// be meant in two ways, or is half of a pair.
pub(crate) fn decode(written: &str) -> Option<(String, bool)> {
    let mut decoded = String::with_capacity(written.len());
    let (mut letters, mut doubled, mut kept, mut other) = (false, false, false, false);
    let mut rest = written;
    while let Some(found) = rest.find('\\') {
        decoded.push_str(rest.get(..found)?);
        let escape = rest.get(found + 1..)?;
        let character = escape.chars().next()?;
        let mut length = character.len_utf8();
        match character {
            '"' => decoded.push(character),
            '\\' | '/' => {
                doubled = true;
                decoded.push(character);
            }
            'b' | 'f' | 'n' | 'r' | 't' => {
                letters = true;
                decoded.push(match character {
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    'n' => '\n',
                    'r' => '\r',
                    _ => '\t',
                });
            }
            'u' => {
                let (unicode, bytes) = parse::unicode_escape(escape.as_bytes().get(1..)?)?;
                letters = true;
                decoded.push(unicode);
                length += bytes;
            }
            '\'' | '`' => {
                other = true;
                decoded.push(character);
            }
            // The backslash itself is meant: it was not doubled. Where another language has such an escape, or where a mark
            // is escaped, it may be meant otherwise.
            letter if letter.is_alphabetic() && !is_foreign(escape) => {
                kept = true;
                decoded.push('\\');
                decoded.push(letter);
            }
            _ => return None,
        }
        rest = escape.get(length..)?;
    }
    decoded.push_str(rest);
    // Backslashes that were not doubled, and escapes: they cannot be distinguished.
    (!(kept && (letters || doubled))).then_some((decoded, kept || other))
}

/// Whether an escape, given without its backslash, is one of Python, JavaScript or C.
fn is_foreign(escape: &str) -> bool {
    let hexadecimal = |count: usize| {
        let digits = escape.as_bytes().get(1..=count);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    match escape.as_bytes().first() {
        Some(b'x') => hexadecimal(2),
        Some(b'U') => hexadecimal(8),
        Some(b'N') => escape.starts_with("N{"),
        Some(b'a' | b'e' | b'v') => true,
        _ => false,
    }
}
