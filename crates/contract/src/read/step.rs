//! One step of the search for each kind of position. A step pushes every possible continuation; without one, the state
//! is a dead end.

use std::ops::Range;

use super::search::Search;
use super::state::{Container, EventKind, Form, Mode, Previous, Role, State, Text, Token, cost};
use crate::account::SpanKind;
use crate::lex::{Blank, Word};
use crate::repair::RepairKind;

impl Search<'_> {
    pub(super) fn step(&mut self, state: State, out: &mut Vec<State>) {
        match state.mode {
            Mode::Value { first } => self.value_step(state, first, out),
            Mode::Key { first } => self.key_step(state, first, out),
            Mode::Colon => self.colon_step(state, out),
            Mode::After => self.after_step(state, out),
            Mode::Text(text) => self.text_step(state, text, out),
            Mode::Done => {}
        }
    }

    pub(super) fn skip_blank(&mut self, state: State) -> (State, Blank) {
        let blank = self.blank(state.at);
        (State { at: blank.end, ..state }, blank)
    }

    /// A value, or the end of a list that has just been opened. At the end of the text the value is missing.
    fn value_step(&mut self, state: State, first: bool, out: &mut Vec<State>) {
        let start = state.at;
        let (state, blank) = self.skip_blank(state);
        let container = self.container(state);
        if blank.comment && is_list(container) && !self.is_behind_item(start..state.at) {
            return;
        }
        match self.lex.byte(state.at) {
            None => {}
            Some(b']' | b')') if blank.comment => {}
            Some(b'{') => out.extend(self.open(state, Container::Object)),
            Some(b'[') => out.extend(self.open(state, Container::Array)),
            Some(b'(') => out.extend(self.open(state, Container::Round)),
            Some(byte) if first && container.is_some_and(|container| container.closer() == byte) => {
                out.push(self.close(state, 1, false));
            }
            // Before a comma an item may be missing.
            Some(b'}' | b']' | b')' | b',' | b':' | b';') => {}
            Some(_) if self.open_text(state, Role::Value, out) => {}
            Some(_) => self.bare_value(state, out),
        }
    }

    /// Opens the string that begins here, if one does.
    pub(super) fn open_text(&mut self, state: State, role: Role, out: &mut Vec<State>) -> bool {
        let doubled = self.lex.doubled_quote(state.at).filter(|_| self.doubled);
        let Some((quote, length)) = doubled.or_else(|| self.lex.opening_quote(state.at)) else {
            return false;
        };
        let text = Text {
            role,
            quote,
            open: state.at as u32,
            content: (state.at + length) as u32,
            inner: 0,
            in_quotation: false,
            doubtful: false,
            depth: 0,
            enclosed: false,
        };
        out.push(State { at: state.at + length, mode: Mode::Text(text), ..state });
        true
    }

    fn key_step(&mut self, state: State, first: bool, out: &mut Vec<State>) {
        let (state, _) = self.skip_blank(state);
        match self.lex.byte(state.at) {
            None => {}
            Some(b'}') if first => out.push(self.close(state, 1, false)),
            Some(b',') if first => out.push(self.repaired(state, 1, RepairKind::ExtraComma, cost::SLIGHT)),
            Some(_) if self.open_text(state, Role::Key, out) => {}
            Some(_) => self.bare_key(state, out),
        }
    }

    /// `name:` or `name":`
    fn bare_key(&mut self, state: State, out: &mut Vec<State>) {
        let length = self.lex.bare_key_length(state.at).unwrap_or_default();
        if length == 0 {
            return;
        }
        let end = state.at + length;
        let quote = usize::from(self.lex.byte(end) == Some(b'"'));
        let next = self.blank(end + quote).end;
        if self.lex.byte(next) != Some(b':') {
            return;
        }
        let token = Token {
            open: state.at as u32,
            start: state.at as u32,
            end: end as u32,
            close: (end + quote) as u32,
            form: Form::Bare(Word::Text),
            inner: 0,
        };
        let keyed = self.event(state, EventKind::Key(token));
        let price = if quote > 0 { cost::MISSING_QUOTE } else { 0 };
        out.push(State { at: end + quote, mode: Mode::Colon, cost: state.cost + price, ..keyed });
    }

    fn colon_step(&mut self, state: State, out: &mut Vec<State>) {
        let (state, _) = self.skip_blank(state);
        let mode = Mode::Value { first: false };
        if self.lex.byte(state.at) == Some(b':') {
            let marked = self.mark(state, 1, SpanKind::Structure);
            out.push(State { mode, ..marked });
        } else if state.previous == Previous::Text && self.lex.is_value(state.at) {
            let marked = self.repaired(state, 0, RepairKind::MissingSeparator, cost::SEPARATOR);
            out.push(State { mode, ..marked });
        }
    }

    fn after_step(&mut self, state: State, out: &mut Vec<State>) {
        if self.container(state).is_none() {
            return out.push(State { mode: Mode::Done, ..state });
        }
        let start = state.at;
        let (state, blank) = self.skip_blank(state);
        let ends = self.lex.is_end(state.at);
        let next = self.lex.byte(state.at);
        // Where the next item of a list would be, a comment may say that there are more.
        if blank.comment
            && is_list(self.container(state))
            && (ends
                || matches!(next, Some(b'}' | b']' | b')'))
                || next != Some(b',') && !self.is_behind_item(start..state.at))
        {
            return;
        }
        if ends {
            return out.extend(self.cut(state));
        }
        match self.lex.byte(state.at) {
            Some(b',') => self.comma(state, SpanKind::Structure, 0, out),
            Some(b';') => {
                self.comma(state, SpanKind::Repair(RepairKind::MissingSeparator), cost::SLIGHT, out)
            }
            Some(b'}' | b']' | b')') => self.closing_bracket(state, out),
            Some(b'+') if matches!(state.previous, Previous::Text | Previous::Quotation) => {
                self.append(state, out)
            }
            _ => self.missing_comma(state, blank, out),
        }
    }

    /// Whether the comments of a stretch are on the line of the item before, so that they are about it. Anywhere else they stand
    /// where an item could be.
    fn is_behind_item(&self, range: Range<usize>) -> bool {
        let between = self.lex.text.get(range).unwrap_or_default();
        between.split_once('\n').is_some_and(|(_, rest)| rest.trim().is_empty())
    }

    /// A separator. One before a closing bracket or another comma is superfluous. After a comma at
    /// the end of the text something is missing, so this path ends.
    fn comma(&mut self, state: State, kind: SpanKind, price: u32, out: &mut Vec<State>) {
        let next = self.blank(state.at + 1).end;
        match self.lex.byte(next) {
            _ if self.lex.is_end(next) => {}
            // Between two commas of a list an item may be missing.
            Some(b',') if self.container(state) != Some(Container::Object) => {}
            Some(b'}' | b']' | b')' | b',') => {
                // `(1,)` is how Python writes a list of one.
                let is_tuple = self.container(state) == Some(Container::Round) && kind == SpanKind::Structure;
                let marked = match is_tuple {
                    true => self.mark(state, 1, kind),
                    false => self.repaired(state, 1, RepairKind::ExtraComma, 0),
                };
                out.push(State { mode: Mode::After, ..marked });
            }
            _ => {
                let marked = self.mark(state, 1, kind);
                let mode = match self.container(state) {
                    Some(Container::Object) => Mode::Key { first: false },
                    _ => Mode::Value { first: false },
                };
                out.push(State { mode, cost: state.cost + price, ..marked });
            }
        }
    }

    fn append(&mut self, state: State, out: &mut Vec<State>) {
        let at = self.blank(state.at + 1).end;
        self.open_text(
            State { at, cost: state.cost + cost::SLIGHT, ..state },
            Role::Append(state.at as u32),
            out,
        );
    }

    /// Two values with nothing but space between them. A word without quotes is never read so: it may say more of the
    /// value before it.
    fn missing_comma(&mut self, state: State, blank: Blank, out: &mut Vec<State>) {
        let is_object = self.container(state) == Some(Container::Object);
        let fits = match (is_object, self.lex.byte(state.at)) {
            (true, Some(b'{')) => return out.extend(self.unclosed_item(state)),
            (true, _) => {
                self.lex.quoted_key_end(state.at).is_some()
                    || blank.line_break && self.lex.key_end(state.at).is_some()
            }
            (false, Some(b'{' | b'[')) => true,
            (false, Some(b'-' | b'0'..=b'9')) => state.previous != Previous::Bare,
            (false, _) => self.lex.opening_quote(state.at).is_some(),
        };
        if fits {
            let price = if blank.line_break { cost::SLIGHT } else { cost::SEPARATOR };
            let marked = self.repaired(state, 0, RepairKind::MissingSeparator, price);
            let mode = if is_object { Mode::Key { first: false } } else { Mode::Value { first: false } };
            out.push(State { mode, ..marked });
        }
    }
}

fn is_list(container: Option<Container>) -> bool {
    matches!(container, Some(Container::Array | Container::Round))
}
