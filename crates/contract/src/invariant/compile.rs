//! From the text of a rule to something that can be evaluated safely, or to a sentence that says why not.

use cel::common::ast::{IdedExpr, SourceInfo};
use cel::parser::{ParseErrors, Parser};

use super::reads::{self, Read};
use super::{Invariant, analysis, meter, syntax};
use crate::json_path::JsonPath;
use crate::limits::{MAX_INVARIANT_BYTES, MAX_INVARIANT_NESTING};

/// A rule that was read, checked and fitted with a meter.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) source: Invariant,
    pub(super) expression: IdedExpr,
    /// The fields of `output` that the rule speaks of, as far as they can be read off it.
    pub(super) place: JsonPath,
    pub(super) uses_output: bool,
    pub(super) uses_input: bool,
    /// What it reads off both.
    pub(super) reads: Vec<Read>,
}

/// What became of a text.
pub(super) struct Compiled {
    pub(super) expression: IdedExpr,
    pub(super) facts: analysis::Facts,
    pub(super) reads: Vec<Read>,
}

pub(super) fn compile(invariant: &Invariant) -> Result<Rule, String> {
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
pub(super) fn read(text: &str, variables: &[&str]) -> Result<Compiled, String> {
    if text.len() > MAX_INVARIANT_BYTES {
        return Err(format!("the rule has {} bytes; the limit is {MAX_INVARIANT_BYTES}", text.len()));
    }
    syntax::check_nesting(text)?;
    let parser = Parser::new().max_recursion_depth(3 * MAX_INVARIANT_NESTING);
    let (mut expression, source) =
        parser.parse_with_source_info(text).map_err(|errors| unreadable(text, &errors))?;
    let facts =
        analysis::analyse(&expression, variables).map_err(|rule_error| located(text, &source, rule_error))?;
    let reads = reads::reads(&expression, variables);
    meter::attach(&mut expression);
    Ok(Compiled { expression, facts, reads })
}

fn located(text: &str, source: &SourceInfo, rule_error: analysis::RuleError) -> String {
    match source.offset_for(rule_error.expression) {
        Some((start, _)) => {
            let (line, column) = syntax::line_and_column(text, start as usize);
            format!("line {line}, column {column}: {}", rule_error.message)
        }
        None => rule_error.message,
    }
}

fn unreadable(text: &str, errors: &ParseErrors) -> String {
    let Some(first) = errors.errors.first() else { return "the rule cannot be parsed".to_owned() };
    let sentence = syntax::plain_message(&first.msg);
    match first.pos {
        (line @ 1.., column @ 1..) => format!("line {line}, column {column}: {sentence}"),
        _ if text.trim().is_empty() => "the rule is empty".to_owned(),
        _ => sentence,
    }
}
