//! Checks a rule's text before it is parsed, and rewords the parser's messages.

use super::RuleError;
use crate::limits::MAX_INVARIANT_NESTING;
use crate::violation::escape::quoted;

/// Refuses a rule that nests too deeply for the parser. Strings are skipped; comments are not, because a bracket in one
/// only makes the count stricter.
pub(super) fn check_nesting(text: &str) -> Result<(), RuleError> {
    let mut depth: u16 = 0;
    let mut conditions: u16 = 0;
    let mut quote = None;
    let mut escaped = false;
    for (offset, character) in text.char_indices() {
        match (quote, character) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[' | '{') => depth = depth.saturating_add(1),
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, '?') => conditions = conditions.saturating_add(1),
            (None, _) => {}
        }
        if depth.saturating_add(conditions) > MAX_INVARIANT_NESTING {
            let message = format!(
                "the rule is nested deeper than {MAX_INVARIANT_NESTING} levels; split it into several invariants"
            );
            return Err(RuleError::at(line_and_column(text, offset), message));
        }
    }
    Ok(())
}

/// Both from 1; a column counts characters. The parser counts characters, not bytes, and so do we.
pub(super) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let (mut line, mut column) = (1, 1);
    for (_, character) in text.char_indices().take_while(|(index, _)| *index < offset) {
        if character == '\n' {
            (line, column) = (line + 1, 1);
        } else {
            column += 1;
        }
    }
    (line, column)
}

/// Syntax of other languages, and what CEL has instead.
const INSTEAD: &[(&str, &str)] = &[
    ("=", "; use '==' to compare"),
    ("===", "; use '==' to compare"),
    ("&", "; write '&&'"),
    ("and", "; write '&&'"),
    ("|", "; write '||'"),
    ("or", "; write '||'"),
];

/// The parser's message without its grammar.
pub(super) fn plain_message(message: &str) -> String {
    let message = message.trim_start_matches("Syntax error: ");
    let offending = |prefix: &str| {
        let rest = message.strip_prefix(prefix)?;
        let token = rest.split(" expecting ").next().unwrap_or(rest).trim();
        Some(token.trim_start_matches('\'').trim_end_matches('\'').to_owned())
    };
    let unexpected = offending("mismatched input ")
        .or_else(|| offending("extraneous input "))
        .or_else(|| offending("no viable alternative at input "))
        .or_else(|| offending("token recognition error at: "));
    match unexpected.as_deref() {
        Some("<EOF>") => "unexpected end of the rule".to_owned(),
        Some(token) => {
            let token = token.trim_end();
            let instead = INSTEAD.iter().find(|(wrong, _)| *wrong == token).map(|(_, instead)| *instead);
            format!("unexpected {}{}", quoted(token), instead.unwrap_or_default())
        }
        None => match message.strip_prefix("missing ").and_then(|rest| rest.split(" at ").next()) {
            Some(missing) => format!("missing {}", quoted(missing.trim_matches('\''))),
            None if message == "UNKNOWN" => "the rule cannot be parsed".to_owned(),
            None => message.lines().next().unwrap_or_default().to_owned(),
        },
    }
}
