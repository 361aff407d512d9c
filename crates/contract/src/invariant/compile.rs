//! Compiles the text of a rule to an expression with a meter.

use cel::common::ast::{IdedExpr, SourceInfo};
use cel::parser::ParseErrors;

use super::reads::{self, Read};
use super::{Invariant, RuleError, analysis, macros, rewrite, syntax};
use crate::json_path::JsonPath;
use crate::limits::{MAX_INVARIANT_BYTES, MAX_INVARIANT_NESTING};

/// A rule that was read, checked and fitted with a meter.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) source: Invariant,
    pub(super) expression: IdedExpr,
    /// The field of `output` that the rule is about, as far as the rule shows it.
    pub(super) place: JsonPath,
    pub(super) uses_output: bool,
    pub(super) uses_input: bool,
    /// The locations that it reads in both.
    pub(super) reads: Vec<Read>,
}

/// A compiled text.
pub(super) struct Compiled {
    pub(super) expression: IdedExpr,
    pub(super) facts: analysis::Facts,
    pub(super) reads: Vec<Read>,
}

pub(super) fn compile(invariant: &Invariant) -> Result<Rule, RuleError> {
    let Compiled { expression, facts, reads } = read(&invariant.rule, &["output", "input"])?;
    Ok(Rule {
        source: invariant.clone(),
        expression,
        place: facts.place(),
        uses_output: facts.used.contains("output"),
        uses_input: facts.used.contains("input"),
        reads,
    })
}

/// Reads a rule over these variables and fits it with a meter.
pub(super) fn read(text: &str, variables: &[&str]) -> Result<Compiled, RuleError> {
    if text.len() > MAX_INVARIANT_BYTES {
        return Err(RuleError::TooLong(text.len()));
    }
    syntax::check_nesting(text)?;
    let parser = macros::parser().max_recursion_depth(3 * MAX_INVARIANT_NESTING);
    let (mut expression, source) =
        parser.parse_with_source_info(text).map_err(|errors| unreadable(text, &errors))?;
    let facts = analysis::analyse(&expression, variables).map_err(|error| located(text, &source, error))?;
    let reads = reads::reads(&expression, variables);
    rewrite::rewrite(&mut expression, &source);
    Ok(Compiled { expression, facts, reads })
}

fn located(text: &str, source: &SourceInfo, error: analysis::ExpressionError) -> RuleError {
    match source.offset_for(error.expression) {
        Some((start, _)) => RuleError::at(syntax::line_and_column(text, start as usize), error.message),
        None => RuleError::Invalid(error.message),
    }
}

fn unreadable(text: &str, errors: &ParseErrors) -> RuleError {
    let Some(first) = errors.errors.first() else {
        return RuleError::Invalid("the rule cannot be parsed".to_owned());
    };
    let sentence = syntax::plain_message(&first.msg);
    match (usize::try_from(first.pos.0), usize::try_from(first.pos.1)) {
        (Ok(line @ 1..), Ok(column @ 1..)) => RuleError::At { line, column, message: sentence },
        _ if text.trim().is_empty() => RuleError::Invalid("the rule is empty".to_owned()),
        _ => RuleError::Invalid(sentence),
    }
}
