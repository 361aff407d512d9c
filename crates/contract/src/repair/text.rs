//! Strings: where they end when their marks cannot be trusted.

use super::search::Search;
use super::token::{Container, Form, Frame, Mode, Previous, Quote, Role, State, Text, Token, What, cost};
use crate::verdict::RepairKind;

/// How well the text behind a quote mark goes on if the string ends there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// As content would: the mark stands inside the string.
    None,
    /// As damaged JSON could.
    Fair,
    /// As JSON does.
    Good,
}

impl Search<'_> {
    /// Reads on inside a string up to the next place where it could end.
    pub(super) fn text_step(&mut self, mut state: State, mut text: Text, out: &mut Vec<State>) {
        let mut at = state.at;
        loop {
            let Some(byte) = self.look.byte(at) else { return self.cut_in_text(state, text, out) };
            if !self.spend(1) {
                return;
            }
            match byte {
                b'\\' => {
                    text.escaped = self.backslash(state, text, at, out);
                    at += 1 + self.look.character(at + 1).map_or(0, char::len_utf8);
                    continue;
                }
                b',' | b'\n' => state.cost += self.missing_quote(state, text, at, out),
                b':' if text.role == Role::Key => self.missing_key_quote(state, text, at, out),
                _ => {}
            }
            match self.look.closing_quote(at, text.quote) {
                Some(length) => return self.possible_end(state, text, at, length, out),
                None => at += 1,
            }
        }
    }

    fn possible_end(&mut self, state: State, text: Text, at: usize, length: usize, out: &mut Vec<State>) {
        let mut fit = self.fit(at + length, state.frame, text.role);
        // Behind a mark that closes no phrase, a key without quotes begins the next member.
        if fit == Fit::None && !text.open && self.is_member(at + length, state.frame) {
            fit = Fit::Fair;
        }
        let mut end = self.end_text(state, text, at, at + length, Form::Quoted);
        if length == 1 && matches!(text.quote, Quote::TwiceDouble | Quote::TwiceSingle) {
            end.cost += cost::DAMAGE;
        }
        // A colon before the mark, and none behind it: it belongs behind it, and not into the name.
        let colon_inside = at > text.content as usize && self.look.starts(at - 1, ":");
        if text.role == Role::Key && fit == Fit::None && colon_inside {
            end.cost += cost::DAMAGE;
        }
        // Keys hold no quotes; a key that could would take in the rest of the text.
        if fit == Fit::Good || text.role == Role::Key {
            out.push(end);
        } else {
            if let Some(inner) = self.read_on(state, text, at, length) {
                let price = if fit == Fit::Fair { cost::INNER_QUOTE } else { 0 };
                out.push(State { cost: inner.cost + price, ..inner });
            }
            let inside_word = self.look.character(at + length).is_some_and(char::is_alphanumeric);
            match fit {
                Fit::Fair => out.push(end),
                _ if !inside_word => out.push(State { cost: end.cost + cost::DAMAGE, ..end }),
                _ => {}
            }
        }
        if text.role == Role::Value {
            self.key_in_list(state, text, at, at + length, out);
        }
    }

    /// Takes a quote mark as content, if it can be: it opens a phrase, closes one that is open, or stands as
    /// marks do in prose. A mark between a word and a bracket, with no phrase open, is no content.
    fn read_on(&mut self, state: State, text: Text, at: usize, length: usize) -> Option<State> {
        let content = self.look.text.get(text.content as usize..at)?;
        // A mark behind nothing but space and a separator opens another string.
        if !content.is_empty() && content.trim_matches([' ', '\t', '\r', '\n', ',', ':']).is_empty() {
            return None;
        }
        let before = content.chars().next_back();
        let after = self.look.character(at + length);
        if before.is_none() && !after.is_some_and(char::is_alphanumeric) {
            return None;
        }
        let begins_word = after.is_some_and(|next| next.is_alphanumeric() || "/#$@<.-_*&%~".contains(next));
        let closes_word = |last: char| match last {
            ')' | ']' | '}' => true,
            _ => last.is_alphanumeric() && (text.open || !is_without_spaces(last)),
        };
        let opens = begins_word && !before.is_some_and(closes_word);
        if !opens && !text.open && !self.is_prose(at + length) {
            return None;
        }
        let closes_nothing = !opens && !text.open && !after.is_some_and(char::is_alphanumeric);
        let torn = text.torn || closes_nothing;
        let inside = Text { inner: text.inner + 1, open: opens, torn, ..text };
        let inner = State { at: at + length, mode: Mode::Text(inside), ..state };
        let inner = self.note(inner, RepairKind::InnerQuote, at);
        // `"x" or "y"` may as well be two strings, each with its marks.
        Some(if opens && text.torn { self.event(inner, What::Doubt) } else { inner })
    }

    /// Whether the text goes on as a sentence does: with a word, or with a mark that ends or joins words.
    fn is_prose(&self, at: usize) -> bool {
        let rest = self.look.text.get(at..).unwrap_or_default();
        let word = rest.trim_start_matches([' ', '\t']).chars().next();
        word.is_some_and(char::is_alphanumeric)
            || rest.starts_with([
                '.', '?', '!', ';', ')', '>', '/', '-', '\'', '%', '\u{2019}', '\u{2014}', '\u{2013}', '。',
                '，', '、', '！', '？', '；', '：', '）', '」',
            ])
    }

    /// A string in a list with a colon behind it is a key: of an object whose bracket is missing, or of the
    /// object around the list, whose closing bracket is missing.
    fn key_in_list(&mut self, state: State, text: Text, end: usize, after: usize, out: &mut Vec<State>) {
        let Some(frame) = self.frame(state.frame) else { return };
        if frame.container != Container::Array || !self.look.starts(self.look.blank(after, false).end, ":") {
            return;
        }
        let token = Token { start: text.content, end: end as u32, form: Form::Quoted };
        let damaged = State { cost: state.cost + cost::DAMAGE, ..state };
        let damaged = self.note(damaged, RepairKind::Bracket, text.content as usize);
        if let Some(opened) = self.open(damaged, Container::Object) {
            let keyed = self.event(opened, What::Key(token));
            out.push(State { at: after, mode: Mode::Colon, ..keyed });
        }
        let around = self.frame(frame.parent).map(|outer| outer.container);
        if around == Some(Container::Object) {
            let closed = self.close(damaged);
            let keyed = self.event(closed, What::Key(token));
            out.push(State { at: after, mode: Mode::Colon, ..keyed });
        }
    }

    /// An escaped quote that looks like the end of the string: perhaps the backslash was meant as itself. Behind
    /// another that was not, or where the text ends, it is an escape, and the text was cut. Gives back where the
    /// first one ends.
    fn backslash(&mut self, state: State, text: Text, at: usize, out: &mut Vec<State>) -> u32 {
        let mark = self.look.closing_quote(at + 1, text.quote).filter(|_| text.escaped == 0);
        let Some(length) = mark else { return text.escaped };
        let behind = at + 1 + length;
        let mut next = self.look.blank(behind, false).end;
        if self.look.byte(next) == Some(b',') {
            next = self.look.blank(next + 1, false).end;
        }
        if !self.look.is_end(next) && self.fit(behind, state.frame, text.role) == Fit::Good {
            let end = self.end_text(state, text, at + 1, behind, Form::QuotedBackslash);
            let end = self.note(end, RepairKind::Escape, at);
            out.push(State { cost: end.cost + cost::UNLIKELY, ..end });
        }
        behind as u32
    }

    /// A comma or line break in a string with the next member behind it: perhaps the closing mark is missing.
    /// Gives back what it costs to read on as if it were not. A key in other marks may well be content, and so may
    /// what would be a comment before it. Nothing is missing behind a mark that only seems to be escaped.
    fn missing_quote(&mut self, state: State, text: Text, at: usize, out: &mut Vec<State>) -> u32 {
        let content_end = self.look.text.get(..at).map_or(at, |before| before.trim_end().len());
        let behind_comma = self.look.byte_before(content_end) == Some(b',');
        let line_break = self.look.byte(at) == Some(b'\n');
        let blank = self.look.blank(at + 1, false);
        if text.role == Role::Key
            || content_end <= text.content as usize
            || content_end == text.escaped as usize
            || (line_break && behind_comma)
            || blank.comment
        {
            return 0;
        }
        let broken = blank.line_break || line_break;
        let same_marks = self.look.opening_quote(blank.end).is_some_and(|(quote, _)| quote == text.quote);
        let price = match self.frame(state.frame).map(|frame| frame.container) {
            Some(Container::Object) if same_marks && self.look.is_key(blank.end) => cost::UNLIKELY,
            Some(Container::Array) if self.is_item(blank.end, text) && broken => cost::UNLIKELY,
            Some(Container::Array) if self.is_item(blank.end, text) => cost::DAMAGE,
            _ => return 0,
        };
        let end = self.end_text(state, text, content_end, at, Form::Quoted);
        let end = self.note(end, RepairKind::MissingQuote, at);
        // A string that may have had its closing mark already misses none: what follows that mark is a note. And a
        // bracket that closes nothing in it hardly belongs to it.
        let doubtful = text.torn || self.ends_in_closer(text.content as usize, content_end);
        let end = if doubtful { self.event(end, What::Doubt) } else { end };
        out.push(State { cost: end.cost + cost::DAMAGE, ..end });
        price
    }

    /// Whether a stretch ends in a bracket that closes nothing in it.
    fn ends_in_closer(&mut self, from: usize, to: usize) -> bool {
        let stretch = self.look.bytes.get(from..to).unwrap_or_default();
        let opener = match stretch.last() {
            Some(b'}') => b'{',
            Some(b']') => b'[',
            _ => return false,
        };
        self.spend(stretch.len());
        !stretch.contains(&opener)
    }

    /// Whether a whole string of the same kind stands here, as an item of a list does.
    fn is_item(&self, at: usize, text: Text) -> bool {
        let Some((_, length)) = self.look.opening_quote(at).filter(|(quote, _)| *quote == text.quote) else {
            return false;
        };
        self.look.closing_at(at + length, text.quote).is_some_and(|(inside, close)| {
            let behind = self.look.blank(inside + close, false).end;
            matches!(self.look.byte(behind), Some(b',' | b']')) || self.look.is_end(behind)
        })
    }

    /// A colon in a key with a value behind it: perhaps the closing mark is missing, or the mark behind the colon
    /// should have been before it.
    fn missing_key_quote(&mut self, state: State, text: Text, at: usize, out: &mut Vec<State>) {
        if let Some(length) = self.look.closing_quote(at + 1, text.quote) {
            let behind = at + 1 + length;
            let value = self.look.blank(behind, true).end;
            // The key has its closing mark, and a colon of its own before it.
            if self.look.byte(value) == Some(b':') {
                return;
            }
            if value > behind && self.look.is_value(value) {
                let end = self.end_text(state, text, at, behind, Form::Quoted);
                let end = self.note(end, RepairKind::MissingSeparator, at);
                let mode = Mode::Value { first: false };
                out.push(State { mode, cost: end.cost + cost::SEPARATOR, ..end });
                // That mark opens no value if one begins with a mark of its own.
                if self.look.opening_quote(value).is_some() {
                    return;
                }
            }
        }
        if self.look.is_value(self.look.blank(at + 1, true).end) {
            let end = self.end_text(state, text, at, at, Form::Quoted);
            let end = self.note(end, RepairKind::MissingQuote, at);
            out.push(State { cost: end.cost + cost::DAMAGE, ..end });
        }
    }

    /// The text ends inside a string. A key without a value can be left out; a value cannot.
    fn cut_in_text(&mut self, state: State, text: Text, out: &mut Vec<State>) {
        if text.role == Role::Key && state.previous != Previous::Nothing {
            self.cut(State { at: self.look.bytes.len(), ..state }, out);
        }
    }

    fn end_text(&mut self, state: State, text: Text, end: usize, after: usize, form: Form) -> State {
        let token = Token { start: text.content, end: end as u32, form };
        let (what, mode, previous) = match text.role {
            Role::Key => (What::Key(token), Mode::Colon, state.previous),
            Role::Value => (What::Scalar(token), Mode::After, Previous::Text),
            Role::Append => (What::Append(token), Mode::After, Previous::Text),
        };
        let state = self.event(state, what);
        // Quotes inside a string come in pairs, most of the time.
        let cost = state.cost + if text.inner % 2 == 1 { cost::ODD_QUOTES } else { 0 };
        State { at: after, mode, previous, cost, ..state }
    }

    /// How the text goes on behind a possible end, seen from the containers that are open.
    fn fit(&mut self, from: usize, frame: u32, role: Role) -> Fit {
        let blank = self.look.blank(from, false);
        if role == Role::Key {
            return if self.look.byte(blank.end) == Some(b':') { Fit::Good } else { Fit::None };
        }
        let mut at = blank.end;
        let mut line_break = blank.line_break;
        let mut frame = self.frame(frame);
        let mut best = Fit::Good;
        // Brackets that close are followed outwards, as far as there is something to close.
        loop {
            if !self.spend(1) || self.is_over(at) {
                return best;
            }
            let Some(current) = frame else { return best.min(self.fit_behind_root(at)) };
            match self.look.byte(at) {
                Some(b'}' | b']' | b')') => {
                    if self.look.byte(at) != Some(current.container.closer()) {
                        best = Fit::Fair;
                        if self.encloses(current, at) {
                            frame = self.frame(current.parent);
                            continue;
                        }
                    }
                    frame = self.frame(current.parent);
                    let blank = self.look.blank(at + 1, false);
                    (at, line_break) = (blank.end, blank.line_break);
                }
                _ => return best.min(self.fit_inside(at, current, line_break)),
            }
        }
    }

    /// Whether a bracket closes one of the containers around a frame.
    pub(super) fn encloses(&self, frame: Frame, at: usize) -> bool {
        let mut parent = frame.parent;
        while let Some(outer) = self.frame(parent) {
            if self.look.byte(at) == Some(outer.container.closer()) {
                return true;
            }
            parent = outer.parent;
        }
        false
    }

    fn fit_inside(&self, at: usize, frame: Frame, line_break: bool) -> Fit {
        let object = frame.is_object();
        let next = |from: usize| self.look.blank(from, !object).end;
        match self.look.byte(at) {
            Some(b',') => {
                let behind = next(at + 1);
                let goes_on = match object {
                    true => {
                        self.look.is_key(behind)
                            || self.look.is_cut_key(behind)
                            || self.look.byte(behind) == Some(b'}')
                            || (self.look.byte(behind) == Some(b'{') && self.is_in_list(frame))
                    }
                    false => {
                        self.look.is_value(behind)
                            || matches!(self.look.byte(behind), Some(b']'))
                            || self.look.blank(at + 1, false).line_break
                    }
                };
                match goes_on || self.look.is_end(behind) {
                    true => Fit::Good,
                    false if !object || self.look.is_key_without_colon(behind) => Fit::Fair,
                    false => Fit::None,
                }
            }
            Some(_) if object && self.look.is_quoted_key(at) => Fit::Good,
            Some(_) if object && line_break && self.look.is_key(at) => Fit::Good,
            Some(_) if !object && line_break && self.look.is_value(at) => Fit::Good,
            Some(b'"') if !object => Fit::Fair,
            Some(b'{') if !object => Fit::Fair,
            Some(b'+') if self.look.opening_quote(next(at + 1)).is_some() => Fit::Fair,
            _ => Fit::None,
        }
    }

    /// Whether the next member of an object stands here, its key without quotes and the comma left out.
    fn is_member(&self, from: usize, frame: u32) -> bool {
        self.frame(frame).is_some_and(Frame::is_object)
            && self.look.is_bare_member(self.look.blank(from, false).end)
    }

    fn is_in_list(&self, frame: Frame) -> bool {
        self.frame(frame.parent).is_some_and(|outer| outer.container == Container::Array)
    }

    /// Behind the root value anything may stand but its own leftovers.
    fn fit_behind_root(&self, at: usize) -> Fit {
        match self.look.byte(at) {
            Some(b',') if self.look.is_key(self.look.blank(at + 1, false).end) => Fit::Fair,
            Some(b',' | b':' | b'"' | b'\'') => Fit::None,
            Some(b'}' | b']') => Fit::Fair,
            _ => Fit::Good,
        }
    }
}

/// Whether a letter is of a script that puts no spaces between words, as Chinese and Japanese are written.
fn is_without_spaces(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}
