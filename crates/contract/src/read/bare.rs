//! Numbers, literals and words without quotes.

use std::ops::Range;

use super::search::Search;
use super::state::{Container, EventKind, Form, Mode, Previous, Role, State, Token, cost};
use super::string::Fit;
use crate::lex::{self, Word};

/// The end of words without quotes.
struct BareEnd {
    /// Behind the last byte of the words.
    content: usize,
    /// Behind a quote that closes them, where the opening one is missing.
    close: usize,
}

impl Search<'_> {
    pub(super) fn bare_value(&mut self, state: State, out: &mut Vec<State>) {
        let Some(end) = self.bare_end(state) else { return };
        let content = self.lex.text.get(state.at..end.content).unwrap_or_default();
        if content.is_empty() || lex::has_omission(content) {
            return;
        }
        let Some(word) = lex::classify(content) else { return };
        if word == Word::Text && !is_words(content) {
            return;
        }
        let quote = if end.close > end.content { cost::MISSING_QUOTE } else { 0 };
        let is_round = self.container(state) == Some(Container::Round);
        let mut push = |word: Word, price: u32| {
            let (start, stop) = (state.at as u32, end.content as u32);
            let token = Token {
                open: start,
                start,
                end: stop,
                close: end.close as u32,
                form: Form::Bare(word),
                inner: 0,
            };
            let read = self.event(state, EventKind::Scalar(token));
            let previous = match word {
                _ if quote > 0 => Previous::Text,
                Word::Text | Word::Number | Word::OtherNumber => Previous::Bare,
                _ => Previous::Literal,
            };
            out.push(State {
                at: end.close,
                mode: Mode::After,
                previous,
                cost: state.cost + price + quote,
                ..read
            });
        };
        match word {
            // Round brackets around words are a remark.
            Word::Text if is_round => {}
            Word::Text => push(word, cost::SLIGHT),
            _ => push(word, 0),
        }
    }

    /// Where the words that begin here end: before a separator or a bracket that is not theirs. `None` if there is a quote
    /// among them, because then it is unclear what belongs to what.
    fn bare_end(&mut self, state: State) -> Option<BareEnd> {
        let is_object = self.container(state)? == Container::Object;
        let (mut depth, mut braces) = (0_usize, 0_usize);
        let mut at = state.at;
        let mut content = state.at;
        loop {
            if !self.spend(1) {
                return None;
            }
            let end = Some(BareEnd { content, close: content });
            let Some(character) = self.lex.character(at) else { return end };
            if depth == 0 && self.lex.is_end(at) {
                return end;
            }
            match character {
                '"' if depth == 0
                    && content == at
                    && is_object
                    && self.fit(at + 1, state, Role::Value) >= Fit::Good =>
                {
                    return Some(BareEnd { content, close: at + 1 });
                }
                '"' if depth == 0 && content < at && is_object && self.lex.quoted_key_end(at).is_some() => {
                    return end;
                }
                '"' | ';' | '\\' | '\u{201c}' | '\u{201d}' => return None,
                '\'' | '`' | '\u{2018}' | '\u{2019}' if !self.lex.is_apostrophe(at, character.len_utf8()) => {
                    return None;
                }
                ':' if (depth == 0 || braces > 0) && self.ends_key(state.at, at) => return None,
                '{' | '[' if depth == 0 && self.is_number(state.at..content) => return end,
                '(' | '[' | '{' => {
                    depth += 1;
                    braces += usize::from(character == '{');
                }
                ')' | ']' | '}' if depth == 0 => return end,
                ')' | ']' | '}' => {
                    depth -= 1;
                    braces = braces.saturating_sub(usize::from(character == '}'));
                }
                ',' if depth == 0 && (!is_object || self.is_separator(at)) => return end,
                '\n' if depth == 0 => {
                    let next = self.blank(at).end;
                    let closes = matches!(self.lex.byte(next), Some(b'}' | b']' | b')'));
                    if closes || self.lex.is_end(next) || is_object && self.lex.key_end(next).is_some() {
                        return end;
                    }
                    if !is_object && self.lex.byte(next) != Some(b',') {
                        return None;
                    }
                }
                '/' | '#'
                    if depth == 0
                        && (content < at || self.lex.starts(at, "/*"))
                        && self.lex.comment_end(at).is_some() =>
                {
                    return end;
                }
                _ => {}
            }
            at += character.len_utf8();
            if !character.is_whitespace() {
                content = at;
            }
        }
    }

    fn is_number(&self, range: Range<usize>) -> bool {
        self.lex.text.get(range).is_some_and(|word| lex::classify(word) == Some(Word::Number))
    }

    /// Whether a colon among words ends a key, so that another member is among them: a space follows it, or its name is not the
    /// first word. `12:30`, `urn:x` and `https://` are words.
    fn ends_key(&self, start: usize, colon: usize) -> bool {
        let before = self.lex.text.get(start..colon).unwrap_or_default().trim_end();
        let name = before.rsplit(|letter: char| letter.is_whitespace() || "([{".contains(letter)).next();
        let name = name.unwrap_or_default();
        let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'));
        let is_spaced = self.lex.character(colon + 1).is_none_or(char::is_whitespace);
        is_name && (is_spaced || name.len() < before.len() && !self.lex.starts(colon, "://"))
    }

    /// Whether a comma in an object separates members and is not part of the words.
    fn is_separator(&mut self, comma: usize) -> bool {
        let next = self.blank(comma + 1).end;
        matches!(self.lex.byte(next), Some(b'}' | b']' | b','))
            || self.lex.is_end(next)
            || self.lex.key_end(next).is_some()
    }
}

/// Whether a text without quotes is words: a mark for something that is to be filled in (`<name>`, `???`, `low | high`), code
/// that makes a value (`items[0]`, `a.b`, `new F(x)`, `a + b`, `n=1`), and a literal with a mark (`null!`) are not.
fn is_words(content: &str) -> bool {
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let begins_name =
        |part: &str| part.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$'));
    let is_begun = content.starts_with(|first: char| first.is_alphanumeric() || "#/@_+-.".contains(first));
    let is_path = content.contains('.')
        && content.split('.').all(|part| begins_name(part) && part.chars().all(is_name));
    // A call at the beginning makes a value, and one at the end is an expression; a signature in between has a type behind it.
    let behind_name = content.trim_start_matches(|letter| is_name(letter) || letter == '.');
    let ends_call =
        || content.strip_suffix(')')?.rsplit_once('(')?.0.chars().next_back().filter(|last| is_name(*last));
    let is_called = behind_name.starts_with('(') || ends_call().is_some();
    let is_literal = || {
        let word = content.trim_matches(|letter: char| !letter.is_alphanumeric());
        lex::classify(word).is_some_and(|kind| !matches!(kind, Word::Text | Word::Number | Word::OtherNumber))
    };
    is_begun
        && (content.contains(char::is_alphanumeric) || content.starts_with('/'))
        && !content.split_whitespace().any(is_code)
        && !is_path
        && !is_called
        && !lex::is_beside_quote(content)
        && !is_literal()
}

/// Whether a word has a mark of code in it, is an operator, or begins a tag. An address may have any.
fn is_code(word: &str) -> bool {
    let computes = |part: &[u8]| matches!(part, [b'0'..=b'9', b'+' | b'*', b'0'..=b'9']);
    let is_operator = matches!(word, "+" | "*" | "?" | ":" | "%" | "!" | "&&" | "??");
    !word.contains("://")
        && (is_operator
            || word.starts_with(['<', '>'])
            || word.contains(['[', ']', '|', '=', '\u{21d2}'])
            || word.contains("->")
            || word.as_bytes().windows(3).any(computes))
}
