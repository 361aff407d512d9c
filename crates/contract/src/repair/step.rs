//! One step of the search for each kind of position. A step pushes every way to go on; none is a dead end.

use super::look::Blank;
use super::search::Search;
use super::token::{Container, Form, Mode, Previous, Quote, Role, State, Text, Token, What, cost};
use crate::verdict::RepairKind;

impl Search<'_> {
    /// Takes one step.
    pub(super) fn step(&mut self, state: State, out: &mut Vec<State>) {
        match state.mode {
            Mode::Value { first } => self.value_step(state, first, out),
            Mode::Item => self.item_step(state, out),
            Mode::Key { first } => self.key_step(state, first, out),
            Mode::Colon => self.colon_step(state, out),
            Mode::After => self.after_step(state, out),
            Mode::Text(text) => self.text_step(state, text, out),
            Mode::Done => self.done_step(state, out),
            Mode::Complete => {}
        }
    }

    /// A value, or the end of a list that has just been opened.
    fn value_step(&mut self, state: State, first: bool, out: &mut Vec<State>) {
        let (state, _) = self.skip_blank(state, true);
        let container = self.frame(state.frame).map(|frame| frame.container);
        if self.look.is_end(state.at) {
            if container == Some(Container::Object) {
                self.cut_behind_key(state, out);
            }
            return;
        }
        match (self.look.byte(state.at), container) {
            (Some(byte), Some(container)) if first && byte == container.closer() => {
                let closed = self.close(state);
                out.push(State { at: state.at + 1, ..closed });
            }
            (Some(b','), Some(Container::Array)) if first => {
                out.push(self.skip_to(state.at + 1, state, RepairKind::ExtraComma, cost::SLIGHT));
            }
            (Some(b'}' | b']' | b')'), Some(_)) if first => out.push(State { mode: Mode::After, ..state }),
            (Some(b':'), Some(Container::Object)) if self.is_stray_colon(state.at) => {
                out.push(self.skip_to(state.at + 1, state, RepairKind::StrayText, cost::SLIGHT));
            }
            (Some(b',' | b':' | b'}' | b']' | b')'), _) => {}
            _ => self.any_value(state, out),
        }
    }

    /// Whether a second colon behind a key is one too many. Directly before a word it may be a part of it.
    fn is_stray_colon(&self, at: usize) -> bool {
        let space = self.look.byte(at + 1).is_some_and(|byte| byte.is_ascii_whitespace());
        let value = self.look.blank(at + 1, true).end;
        let begins =
            self.look.opening_quote(value).is_some() || matches!(self.look.byte(value), Some(b'{' | b'['));
        begins || (space && self.look.byte(value) != Some(b':'))
    }

    /// A value behind a comma, or the end of the list: then the comma was one too many.
    fn item_step(&mut self, state: State, out: &mut Vec<State>) {
        let (state, _) = self.skip_blank(state, true);
        if self.look.is_end(state.at) {
            return self.cut(state, out);
        }
        match self.look.byte(state.at) {
            Some(b']' | b')' | b'}') => {
                let noted = self.note(state, RepairKind::ExtraComma, state.at);
                out.push(State { mode: Mode::After, ..noted });
            }
            Some(b',' | b':') => {}
            _ => {
                self.any_value(state, out);
                self.missing_open_bracket(state, out);
            }
        }
    }

    fn any_value(&mut self, state: State, out: &mut Vec<State>) {
        let container = match self.look.byte(state.at) {
            Some(b'{') => Container::Object,
            Some(b'[') => Container::Array,
            Some(b'(') => Container::Round,
            _ => return self.scalar_value(state, out),
        };
        if let Some(mut opened) = self.open(state, container) {
            if container == Container::Round {
                opened = self.note(opened, RepairKind::Bracket, state.at);
            }
            out.push(State { at: state.at + 1, ..opened });
        }
    }

    fn scalar_value(&mut self, state: State, out: &mut Vec<State>) {
        let Some(state) = self.skip_prefix(state) else { return };
        if !self.open_text(state, Role::Value, out) {
            self.bare_value(state, out);
        }
    }

    /// Skips the letter of `u'…'`, which says nothing. Strings of bytes, raw ones and those that are filled in
    /// are not what stands between their marks, so there is no way on.
    fn skip_prefix(&mut self, state: State) -> Option<State> {
        match self.look.string_prefix(state.at) {
            None => Some(state),
            Some("u" | "U") => Some(self.skip_to(state.at + 1, state, RepairKind::Literal, cost::NOTHING)),
            Some(_) => None,
        }
    }

    /// Opens the string that begins here, if one does.
    fn open_text(&mut self, state: State, role: Role, out: &mut Vec<State>) -> bool {
        let Some((quote, length)) = self.look.opening_quote(state.at) else { return false };
        let noted = match quote {
            Quote::Double => state,
            _ => self.note(state, RepairKind::Quotes, state.at),
        };
        let mut open = |state: State, quote: Quote, length: usize| {
            let content = (state.at + length) as u32;
            let text = Text { role, quote, content, inner: 0, open: false, torn: false, escaped: 0 };
            out.push(State { at: state.at + length, mode: Mode::Text(text), ..state });
        };
        open(noted, quote, length);
        // Two marks may also be one, and a phrase in quotes behind it.
        let single = match quote {
            Quote::TwiceDouble => Some(Quote::Double),
            Quote::TwiceSingle => Some(Quote::Single),
            _ => None,
        };
        if let Some(single) = single.filter(|_| role != Role::Key) {
            open(State { cost: state.cost + cost::SEPARATOR, ..state }, single, 1);
        }
        true
    }

    fn key_step(&mut self, state: State, first: bool, out: &mut Vec<State>) {
        let (state, _) = self.skip_blank(state, false);
        if self.look.is_end(state.at) {
            if !first {
                self.cut(state, out);
            }
            return;
        }
        match self.look.byte(state.at) {
            Some(b'}' | b']' | b')') => {
                let noted = if first { state } else { self.note(state, RepairKind::ExtraComma, state.at) };
                out.push(State { mode: Mode::After, ..noted });
            }
            Some(b',') => {
                out.push(self.skip_to(state.at + 1, state, RepairKind::ExtraComma, cost::NOTHING));
            }
            Some(b'{') if !first => self.unclosed_before(state, out),
            Some(b'{') => {
                out.push(self.skip_to(state.at + 1, state, RepairKind::Bracket, cost::DAMAGE));
            }
            _ => {
                let Some(state) = self.skip_prefix(state) else { return };
                if !self.open_text(state, Role::Key, out) {
                    self.bare_key(state, out);
                }
            }
        }
    }

    fn bare_key(&mut self, state: State, out: &mut Vec<State>) {
        let length = self.look.bare_key_length(state.at);
        if length == 0 {
            return;
        }
        let end = state.at + length;
        let blank = self.look.blank(end, false);
        let stray_quote = matches!(self.look.byte(end), Some(b'"' | b'\''));
        let after = if stray_quote { end + 1 } else { end };
        if self.look.byte(self.look.blank(after, false).end) == Some(b':') {
            let kind = if stray_quote { RepairKind::MissingQuote } else { RepairKind::Unquoted };
            let noted = self.note(state, kind, state.at);
            let token = Token { start: state.at as u32, end: end as u32, form: Form::Bare };
            let keyed = self.event(noted, What::Key(token));
            out.push(State { at: after, mode: Mode::Colon, ..keyed });
        } else if self.look.is_quoted_key(blank.end) {
            out.push(self.skip_to(blank.end, state, RepairKind::StrayText, cost::DAMAGE));
        }
    }

    fn colon_step(&mut self, state: State, out: &mut Vec<State>) {
        let (state, _) = self.skip_blank(state, false);
        if self.look.is_end(state.at) {
            return self.cut_behind_key(state, out);
        }
        let value = Mode::Value { first: false };
        match self.look.byte(state.at) {
            Some(b':') => out.push(State { at: state.at + 1, mode: value, ..state }),
            Some(b'=') => {
                let length = if self.look.starts(state.at, "=>") { 2 } else { 1 };
                let kind = RepairKind::MissingSeparator;
                let skipped = self.skip_to(state.at + length, state, kind, cost::SLIGHT);
                out.push(State { mode: value, ..skipped });
            }
            Some(_) if self.look.is_value(state.at) => {
                self.stray_key_quote(state, out);
                let noted = self.note(state, RepairKind::MissingSeparator, state.at);
                out.push(State { mode: value, cost: state.cost + cost::SEPARATOR, ..noted });
            }
            _ => {}
        }
    }

    /// `"key"": 1`: a mark too many between a key and its colon.
    fn stray_key_quote(&mut self, state: State, out: &mut Vec<State>) {
        let colon = self.look.blank(state.at + 1, false).end;
        if matches!(self.look.byte(state.at), Some(b'"' | b'\'')) && self.look.byte(colon) == Some(b':') {
            out.push(self.skip_to(colon, state, RepairKind::MissingQuote, cost::SLIGHT));
        }
    }

    fn after_step(&mut self, state: State, out: &mut Vec<State>) {
        if state.is_root() {
            return out.push(State { mode: Mode::Done, ..state });
        }
        let (state, blank) = self.skip_blank(state, false);
        if self.look.is_end(state.at) {
            return self.cut(state, out);
        }
        match self.look.byte(state.at) {
            Some(b',') => {
                out.push(State { at: state.at + 1, mode: self.next_mode(state), ..state });
                self.unclosed_member(state, out);
            }
            Some(b';') => {
                let mode = self.next_mode(state);
                let skipped = self.skip_to(state.at + 1, state, RepairKind::MissingSeparator, cost::SLIGHT);
                out.push(State { mode, ..skipped });
            }
            Some(b'}' | b']' | b')') => self.closing_bracket(state, out),
            Some(b'+') if state.previous == Previous::Text => self.append(state, out),
            _ => self.missing_comma(state, blank, out),
        }
    }

    fn append(&mut self, state: State, out: &mut Vec<State>) {
        let at = self.look.blank(state.at + 1, true).end;
        let noted = self.note(State { at, ..state }, RepairKind::Quotes, state.at);
        self.open_text(State { cost: state.cost + cost::SLIGHT, ..noted }, Role::Append, out);
    }

    fn next_mode(&self, state: State) -> Mode {
        match self.frame(state.frame).map(|frame| frame.container) {
            Some(Container::Object) => Mode::Key { first: false },
            _ => Mode::Item,
        }
    }

    fn missing_comma(&mut self, state: State, blank: Blank, out: &mut Vec<State>) {
        let Some(frame) = self.frame(state.frame) else { return };
        let object = frame.is_object();
        let fits = match object {
            true => self.look.is_key(state.at),
            false => self.look.is_value(state.at) && !self.look.is_stray_quote(state.at),
        };
        if fits {
            let noted = self.note(state, RepairKind::MissingSeparator, state.at);
            let price = if blank.line_break || object { cost::SLIGHT } else { cost::SEPARATOR };
            let mode = if object { Mode::Key { first: true } } else { Mode::Value { first: false } };
            out.push(State { mode, cost: state.cost + price, ..noted });
            return;
        }
        if object && self.look.byte(state.at) == Some(b'{') {
            self.unclosed_before(state, out);
        }
        self.stray(state, out);
    }

    /// Marks and words between values that belong to nothing.
    fn stray(&mut self, state: State, out: &mut Vec<State>) {
        if matches!(self.look.byte(state.at), Some(b'"' | b'\'')) {
            let mut skipped =
                self.skip_to(state.at + 1, state, RepairKind::MissingQuote, cost::DAMAGE_UNLIKELY);
            // Behind a digit it may stand for inches.
            let written = self.look.text.get(..state.at).unwrap_or_default();
            let digits = written
                .strip_suffix('"')
                .is_some_and(|number| number.ends_with(|last: char| last.is_ascii_digit()));
            if digits && state.previous == Previous::Text {
                skipped = self.event(skipped, What::Doubt);
            }
            return out.push(skipped);
        }
        let length = self.look.bare_key_length(state.at);
        // Words behind a number or a word would be a part of it; behind a string they may say more of it.
        let stray = match state.previous {
            Previous::Container => length > 0,
            Previous::Text => is_filler(self.look.text.get(state.at..state.at + length).unwrap_or_default()),
            _ => false,
        };
        if stray {
            let behind = self.look.blank(state.at + length, false).end;
            if matches!(self.look.byte(behind), Some(b',' | b'}' | b']')) {
                out.push(self.skip_to(behind, state, RepairKind::StrayText, cost::DAMAGE));
            }
        }
    }

    fn skip_blank(&mut self, state: State, value_place: bool) -> (State, Blank) {
        let blank = self.look.blank(state.at, value_place);
        self.spend(blank.end - state.at);
        let mut next = State { at: blank.end, ..state };
        if blank.comment {
            next = self.note(next, RepairKind::Comment, state.at);
        }
        if blank.other_space {
            next = self.note(next, RepairKind::ControlCharacter, state.at);
        }
        (next, blank)
    }

    /// The root is complete. Prose may follow it, other objects, and closing brackets too many; but no more of the
    /// value, for then it was not the root that ended here.
    fn done_step(&mut self, state: State, out: &mut Vec<State>) {
        let mut at = self.look.blank(state.at, false).end;
        let mut state = state;
        if matches!(self.look.byte(at), Some(b'}' | b']' | b')')) && !self.look.is_end(at) {
            let noted = self.note(state, RepairKind::StrayText, at);
            state = State { cost: state.cost + cost::SLIGHT, ..noted };
            while matches!(self.look.byte(at), Some(b'}' | b']' | b')')) {
                at = self.look.blank(at + 1, false).end;
            }
        }
        let goes_on = match self.look.byte(at) {
            _ if self.look.is_end(at) => false,
            Some(b',') if self.look.byte(self.look.blank(at + 1, false).end) == Some(b'{') => {
                self.left_over.behind(at)
            }
            Some(b',' | b':' | b'"') => true,
            Some(b'[') if at == state.at => true,
            Some(b'{' | b'[') => self.left_over.behind(at),
            Some(b'-' | b'0'..=b'9') if self.is_list() => self.left_over.behind(at),
            _ => self.ends_a_value(at),
        };
        if !goes_on {
            out.push(State { mode: Mode::Complete, ..state });
        }
    }

    /// Whether the root is a list.
    fn is_list(&self) -> bool {
        self.frames.first().is_some_and(|frame| frame.container == Container::Array)
    }

    /// Whether the end of a value stands in the text before another one begins.
    fn ends_a_value(&self, at: usize) -> bool {
        /// Far enough to see the end of a member; a longer stretch is prose.
        const STRETCH: usize = 2048;
        let end = (at + STRETCH).min(self.look.bytes.len());
        let rest = self.look.bytes.get(at..end).unwrap_or_default();
        for (index, byte) in rest.iter().enumerate() {
            match byte {
                b'{' | b'[' => return false,
                b'"' if matches!(rest.get(index + 1), Some(b'}' | b']')) => return true,
                _ => {}
            }
        }
        false
    }
}

/// Whether a word is none of any language, so that nothing is lost with it: `AAAA`, `SHOULD_NOT_EXIST`.
fn is_filler(word: &str) -> bool {
    /// Three of a kind can be a numeral or a rating (`III`, `AAA`).
    const SAME_LETTERS: usize = 4;
    let capitals = word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let repeated = word.len() >= SAME_LETTERS && word.bytes().all(|byte| Some(byte) == word.bytes().next());
    capitals && (repeated || word.contains('_'))
}
