//! Brackets that are missing or of the wrong kind.

use super::search::Search;
use super::state::{Container, EventKind, Mode, Previous, State, cost};

impl Search<'_> {
    /// Closes all open brackets at the end of the text. Not after a number or a word, which may be incomplete, and not after a
    /// string whose end is in doubt.
    pub(super) fn cut(&mut self, state: State) -> Option<State> {
        if matches!(state.previous, Previous::Bare | Previous::Nothing | Previous::Quotation) {
            return None;
        }
        let mut state = State { cost: state.cost + cost::CUT, ..state };
        while state.mode != Mode::Done {
            state = self.closed(state, EventKind::Cut(state.at as u32), 0);
        }
        Some(state)
    }

    /// A closing bracket: of the innermost container, of one around it whose inner ones were not closed, or, at the very end,
    /// of none.
    pub(super) fn closing_bracket(&mut self, state: State, out: &mut Vec<State>) {
        let Some(byte) = self.lex.byte(state.at) else { return };
        let mut closed = state;
        while let Some(container) = self.container(closed) {
            if container.closer() == byte {
                return out.push(self.close(closed, 1, false));
            }
            closed = self.close(closed, 0, true);
            closed.cost += cost::BRACKET;
        }
        if self.is_last(state.at) {
            let closed = self.close(state, 1, true);
            out.push(State { cost: closed.cost + cost::BRACKET, ..closed });
        }
    }

    /// Whether only closing brackets follow.
    fn is_last(&mut self, at: usize) -> bool {
        let mut at = at;
        while matches!(self.lex.byte(at), Some(b'}' | b']' | b')')) {
            at = self.blank(at + 1).end;
        }
        self.lex.is_end(at)
    }

    /// `{"a": 1{"a": 2}`: an item of a list that was not closed before the next.
    pub(super) fn unclosed_item(&mut self, state: State) -> Option<State> {
        let parent = self.frame(self.frame(state.frame)?.parent)?;
        if parent.container != Container::Array {
            return None;
        }
        let closed = self.close(state, 0, true);
        Some(State { cost: closed.cost + cost::BRACKET, ..closed })
    }
}
