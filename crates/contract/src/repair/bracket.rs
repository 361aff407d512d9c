//! Brackets that are missing, too many or of the wrong kind, and the end of the text in their place.

use super::search::Search;
use super::token::{Container, Mode, NONE, Previous, State, What, cost};
use crate::verdict::RepairKind;

impl Search<'_> {
    /// A scalar behind a list in a list of lists: perhaps its opening bracket is missing.
    pub(super) fn missing_open_bracket(&mut self, state: State, out: &mut Vec<State>) {
        let nested = self.look.byte(state.at).is_some_and(|byte| matches!(byte, b'[' | b'{'));
        if state.previous == Previous::Container && !nested {
            let damaged = self.note(state, RepairKind::Bracket, state.at);
            if let Some(opened) = self.open(damaged, Container::Array) {
                out.push(State { cost: opened.cost + cost::DAMAGE_UNLIKELY, ..opened });
            }
        }
    }

    /// A comma behind a member of an inner object: perhaps the inner object should have ended before it.
    pub(super) fn unclosed_member(&mut self, state: State, out: &mut Vec<State>) {
        let outer = self.frame(state.frame).filter(|frame| frame.is_object());
        let outer = outer.and_then(|inner| self.frame(inner.parent)).filter(|frame| frame.is_object());
        if outer.is_some() && self.look.is_key(self.look.blank(state.at + 1, false).end) {
            let noted = self.note(state, RepairKind::Bracket, state.at);
            let closed = self.close(noted);
            out.push(State { cost: state.cost + cost::DAMAGE, ..closed });
        }
    }

    pub(super) fn closing_bracket(&mut self, state: State, out: &mut Vec<State>) {
        let Some(frame) = self.frame(state.frame) else { return };
        let matches = self.look.byte(state.at) == Some(frame.container.closer());
        if matches {
            let closed = self.close(state);
            out.push(State { at: state.at + 1, ..closed });
            if frame.parent == NONE && self.goes_on(state.at + 1, frame.container) {
                out.push(self.skip_to(state.at + 1, state, RepairKind::Bracket, cost::DAMAGE_UNLIKELY));
            }
            return;
        }
        if self.is_enumerator(state.at) {
            return;
        }
        let noted = self.note(state, RepairKind::Bracket, state.at);
        if self.encloses(frame, state.at) {
            let closed = self.close(noted);
            out.push(State { cost: state.cost + cost::DAMAGE, ..closed });
        }
        let closed = self.close(noted);
        out.push(State { at: state.at + 1, cost: state.cost + cost::DAMAGE_UNLIKELY, ..closed });
        // Or it closes nothing at all.
        out.push(State { at: state.at + 1, cost: state.cost + cost::DAMAGE_UNLIKELY, ..noted });
    }

    /// Whether a bracket closes nothing but numbers what follows: `1) "a"`.
    fn is_enumerator(&self, at: usize) -> bool {
        let behind = self.look.byte(self.look.blank(at + 1, true).end);
        self.look.byte(at) == Some(b')')
            && self.look.byte_before(at).is_some_and(|byte| byte.is_ascii_digit())
            && behind.is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'"' | b'\'' | b'{' | b'['))
    }

    /// Whether the text goes on behind the root's closing bracket as if that bracket were one too many.
    fn goes_on(&self, at: usize, container: Container) -> bool {
        let comma = self.look.blank(at, false).end;
        if self.look.byte(comma) != Some(b',') {
            return container == Container::Object && self.look.is_quoted_key(comma);
        }
        let behind = self.look.blank(comma + 1, false).end;
        match container {
            Container::Object => self.look.is_key(behind),
            _ => self.look.is_value(behind),
        }
    }

    /// `[{"i": 1, {"i": 2}]`: an object begins in the place of a key, so the one before was not closed.
    pub(super) fn unclosed_before(&mut self, state: State, out: &mut Vec<State>) {
        let around = self.frame(state.frame).and_then(|frame| self.frame(frame.parent));
        if around.is_some_and(|outer| outer.container == Container::Array) {
            let noted = self.note(state, RepairKind::Bracket, state.at);
            let closed = self.close(noted);
            out.push(State { mode: Mode::Item, cost: state.cost + cost::DAMAGE, ..closed });
        }
    }

    /// The text ends behind a key: the member is left out, unless nothing came before it.
    pub(super) fn cut_behind_key(&mut self, state: State, out: &mut Vec<State>) {
        if state.previous != Previous::Nothing {
            let dropped = self.event(state, What::DropKey);
            self.cut(dropped, out);
        }
    }

    /// Whether the value is over here: the text ends, or what is around the value takes over and no more of the
    /// value follows. A closing tag or a fence in the middle of a value belongs to it.
    pub(super) fn is_over(&mut self, at: usize) -> bool {
        if at >= self.look.bytes.len() {
            return true;
        }
        if !self.look.is_end(at) {
            return false;
        }
        let (distance, closes) = self.look.closes_behind(at);
        self.spend(distance) && !closes
    }

    /// The text ends here: all that is open is closed.
    pub(super) fn cut(&mut self, state: State, out: &mut Vec<State>) {
        if !self.is_over(state.at) {
            return;
        }
        let mut state = self.note(state, RepairKind::Truncated, state.at);
        while !state.is_root() {
            state = self.close(state);
        }
        out.push(State { mode: Mode::Done, cost: state.cost + cost::CUT, ..state });
    }
}
