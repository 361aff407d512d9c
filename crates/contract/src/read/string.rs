//! Strings: where they end when their quotes cannot be trusted.

use super::search::Search;
use super::state::{Container, EventKind, Form, Mode, Previous, Role, State, Text, Token, cost};
use crate::lex::{self, Quote};

/// How well the text after a quote continues if the string ends there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    /// As content would: the quote is inside the string.
    None,
    /// As damaged JSON could.
    Fair,
    /// As JSON does.
    Good,
    /// With the next member of the object.
    Member,
}

impl Search<'_> {
    /// Reads on inside a string up to the next place where it could end. A text that ends inside a string was cut.
    pub(super) fn text_step(&mut self, state: State, mut text: Text, out: &mut Vec<State>) {
        let mut at = state.at;
        while let Some(byte) = self.lex.byte(at) {
            if !self.spend(1) {
                return;
            }
            match byte {
                b'\\' => {
                    at += 1 + self.lex.character(at + 1).map_or(0, char::len_utf8);
                    continue;
                }
                b',' if text.role == Role::Value && text.inner == 0 => self.missing_end(state, text, at, out),
                b':' if text.role == Role::Key => self.missing_key_end(state, text, at, out),
                b'{' | b'[' | b'(' => text.depth += 1,
                b'}' | b']' | b')' => text.depth -= 1,
                _ => {}
            }
            match self.lex.closing_quote(at, text.quote) {
                Some(length) if is_single(text.quote) && self.lex.is_apostrophe(at, length) => at += length,
                Some(length) => return self.possible_end(state, text, at, length, out),
                None => at += 1,
            }
        }
    }

    fn possible_end(&mut self, state: State, text: Text, at: usize, length: usize, out: &mut Vec<State>) {
        let fit = self.fit(at + length, state, text.role);
        let (end_price, inner_price) = match fit {
            Fit::None => (None, cost::INNER_QUOTE),
            Fit::Fair => (Some(cost::SEPARATOR), cost::INNER_QUOTE),
            Fit::Good => (Some(0), cost::INNER_END),
            Fit::Member => (Some(0), cost::INNER_MEMBER),
        };
        if let Some(price) = end_price.filter(|_| is_whole(text) && !self.is_doubtful_end(text, at)) {
            let odd = if text.inner % 2 == 1 { cost::ODD_QUOTES } else { 0 };
            let end = self.end_text(state, text, at, at + length);
            out.push(State { cost: end.cost + price + odd, ..end });
        }
        if let Some(inside) = self.as_content(state, text, at, length, fit) {
            out.push(State {
                at: at + length,
                mode: Mode::Text(inside),
                cost: state.cost + inner_price,
                ..state
            });
        }
    }

    /// Takes a quote as content: it opens a quotation, closes one, or is the only one in the string. Where the string could
    /// end as well, it must close a quotation or are between brackets that the content itself opened. Else a string could
    /// take in whatever follows it. Keys hold no quotes.
    fn as_content(&self, state: State, text: Text, at: usize, length: usize, fit: Fit) -> Option<Text> {
        let enclosed = fit >= Fit::Good && text.depth > 0;
        if text.role == Role::Key || fit >= Fit::Good && !enclosed && !text.in_quotation {
            return None;
        }
        let before = self.lex.character_before(at).filter(|_| at > text.content as usize);
        // Behind nothing but space and a separator it opens the next string, and the one before has lost a quote.
        let content = self.lex.text.get(text.content as usize..at)?;
        let is_separator = |letter: char| letter.is_whitespace() || matches!(letter, ',' | ':');
        if !content.is_empty() && content.trim_start_matches(is_separator).is_empty() {
            return None;
        }
        // Behind two backslashes it was perhaps escaped twice; behind another quote, one of the two is too many or an escape.
        let is_doubled = text.inner > 0 && before.is_some() && before == self.lex.character(at);
        if before == Some('\\') || is_doubled {
            return None;
        }
        let behind = self.lex.character(at + length);
        let is_open = behind.is_some_and(|next| !next.is_whitespace() && !",:;)]}".contains(next));
        let is_closed = !before.is_none_or(char::is_whitespace) && !behind.is_some_and(char::is_alphanumeric);
        let in_quotation = match text.in_quotation {
            true if is_closed => false,
            false if is_open && text.inner.is_multiple_of(2) => true,
            false if text.inner == 0 => false,
            _ => return None,
        };
        let is_beside_comma =
            content.trim_end().ends_with(',') || self.lex.byte(self.lex.space_end(at + length)) == Some(b',');
        // In a list, with space beside it, it may be that of a string whose other quote is lost.
        let is_beside_space = (before.into_iter().chain(behind)).any(char::is_whitespace)
            && self.container(state).is_some_and(|container| container != Container::Object);
        let is_doubtful = content.is_empty() || is_beside_comma || is_beside_space;
        let doubtful = text.doubtful || text.inner == 0 && is_doubtful;
        let enclosed = text.enclosed || enclosed;
        Some(Text { inner: text.inner + 1, in_quotation, doubtful, enclosed, ..text })
    }

    /// Whether a string with one quote in it ends in doubt: the quote may belong to another string, or be one too many. So does one in
    /// doubled quotes: they may be part of it or not.
    fn is_doubtful_end(&self, text: Text, at: usize) -> bool {
        let content = self.lex.text.get(text.content as usize..at).unwrap_or_default();
        let ends_quoted = content.ends_with(['"', '\'', '\u{2019}', '\u{201d}']);
        let is_doubled = || self.lex.closing_quote(text.content as usize, text.quote).is_some();
        match text.inner {
            1 => text.doubtful || ends_quoted,
            2 => ends_quoted && is_doubled(),
            _ => false,
        }
    }

    fn end_text(&mut self, state: State, text: Text, end: usize, close: usize) -> State {
        let Text { role, quote, open, content, inner, .. } = text;
        let form = Form::Quoted(quote);
        let token = Token { open, start: content, end: end as u32, close: close as u32, form, inner };
        let (kind, mode) = match role {
            Role::Key => (EventKind::Key(token), Mode::Colon),
            Role::Value => (EventKind::Scalar(token), Mode::After),
            Role::Append(plus) => (EventKind::Append(token, plus), Mode::After),
        };
        let ended = self.event(state, kind);
        let previous = if inner > 0 { Previous::Quotation } else { Previous::Text };
        State { at: close, mode, previous, ..ended }
    }

    /// A comma in a string with the next member, or a line with the next string, after it: perhaps the closing quote is missing.
    fn missing_end(&mut self, state: State, text: Text, comma: usize, out: &mut Vec<State>) {
        let blank = self.blank(comma + 1);
        let goes_on = match self.container(state) {
            Some(Container::Object) => self.lex.quoted_key_end(blank.end).is_some(),
            // On one line of a list nothing says which of two quotes is missing.
            Some(_) => blank.line_break && self.lex.closing_quote(blank.end, text.quote).is_some(),
            None => false,
        };
        let content = self.lex.text.get(text.content as usize..comma).unwrap_or_default();
        // A quote of another kind may be the one that closes it.
        if goes_on && !content.is_empty() && !content.contains('\\') && !lex::is_beside_quote(content.trim())
        {
            let end = self.end_text(state, text, comma, comma);
            out.push(State { cost: end.cost + cost::MISSING_QUOTE, ..end });
        }
    }

    /// `{"key:"value"}`
    fn missing_key_end(&mut self, state: State, text: Text, colon: usize, out: &mut Vec<State>) {
        let next = self.blank(colon + 1).end;
        let name = self.lex.bare_key_length(text.content as usize).unwrap_or_default();
        // The quote of `"key:":` is its own.
        let is_own = self
            .lex
            .closing_quote(next, text.quote)
            .is_some_and(|length| self.lex.byte(self.lex.space_end(next + length)) == Some(b':'));
        if name > 0 && text.content as usize + name == colon && self.lex.is_value(next) && !is_own {
            let end = self.end_text(state, text, colon, colon);
            out.push(State { cost: end.cost + cost::MISSING_QUOTE, ..end });
        }
    }

    /// How well the text continues after the end of a string.
    pub(super) fn fit(&mut self, behind: usize, state: State, role: Role) -> Fit {
        let blank = self.blank(behind);
        let next = self.lex.byte(blank.end);
        if role == Role::Key {
            return match next {
                Some(b':') => Fit::Good,
                _ if self.lex.is_value(blank.end) => Fit::Fair,
                _ => Fit::None,
            };
        }
        if self.lex.is_end(blank.end) {
            return Fit::Good;
        }
        let Some(container) = self.container(state) else { return Fit::None };
        let is_object = container == Container::Object;
        match next {
            Some(closer @ (b'}' | b']' | b')')) if self.is_open(state, closer) => Fit::Good,
            Some(b',' | b';') => self.fit_behind_comma(blank.end, container),
            Some(b'+') if self.is_appended(blank.end) => Fit::Fair,
            _ if is_object && self.lex.quoted_key_end(blank.end).is_some() => Fit::Fair,
            _ if is_object && blank.line_break && self.lex.key_end(blank.end).is_some() => Fit::Fair,
            _ if !is_object && blank.line_break && self.lex.is_value(blank.end) => Fit::Good,
            _ if !is_object && blank.end > behind && self.lex.is_value(blank.end) => Fit::Fair,
            _ => Fit::None,
        }
    }

    fn fit_behind_comma(&mut self, comma: usize, container: Container) -> Fit {
        let next = self.blank(comma + 1).end;
        match self.lex.byte(next) {
            _ if self.lex.is_end(next) => Fit::Good,
            Some(b'}' | b']' | b')' | b',') => Fit::Good,
            _ if container == Container::Object => match self.lex.key_end(next) {
                Some(_) if self.lex.opening_quote(next).is_some() => Fit::Member,
                Some(_) => Fit::Good,
                // `{a":`
                None if self.is_half_quoted_key(next) => Fit::Fair,
                None => Fit::None,
            },
            _ if self.lex.is_value(next) => Fit::Good,
            Some(_) if self.lex.character(next).is_some_and(char::is_alphanumeric) => Fit::Fair,
            _ => Fit::None,
        }
    }

    fn is_appended(&mut self, plus: usize) -> bool {
        let next = self.blank(plus + 1).end;
        self.lex.opening_quote(next).is_some()
    }

    fn is_half_quoted_key(&mut self, at: usize) -> bool {
        let name = |from: usize| from + self.lex.bare_key_length(from).unwrap_or_default();
        let (end, inside) = (name(at), name(at + 1));
        if end > at && self.lex.starts(end, "\":") {
            return true;
        }
        let is_open =
            self.lex.byte(at) == Some(b'"') && inside > at + 1 && self.lex.byte(inside) == Some(b':');
        let next = self.blank(inside + 1).end;
        is_open && self.lex.is_value(next)
    }

    /// Whether a bracket closes the innermost container or one around it.
    fn is_open(&self, state: State, closer: u8) -> bool {
        let mut frame = self.frame(state.frame);
        while let Some(open) = frame {
            if open.container.closer() == closer {
                return true;
            }
            frame = self.frame(open.parent);
        }
        self.container(state).is_some() && closer != b')'
    }
}

/// Whether a string may end: its quotations are closed, or there is one quote alone in it.
fn is_whole(text: Text) -> bool {
    (text.inner.is_multiple_of(2) || text.inner == 1) && (!text.enclosed || text.depth == 0)
}

fn is_single(quote: Quote) -> bool {
    matches!(quote, Quote::Single | Quote::SmartSingle)
}
