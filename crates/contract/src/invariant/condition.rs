//! A condition in CEL over given variables: the edges and checks of workflows.
//!
//! It has the parser, the limits and the meter of invariants. Unlike an invariant, a condition that cannot be evaluated is
//! neither true nor false, but an error.

use std::collections::BTreeSet;
use std::sync::Arc;

use accord_json::{Meter, Stop};
use cel::common::ast::IdedExpr;
use cel::{Context, Value as CelValue};
use serde_json::Value;

use super::convert::convert;
use super::environment::environment;
use super::{EvaluationError, RuleError, compile, meter, report, stack, value};
use crate::json_path::JsonPath;

/// A compiled condition. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Condition {
    expression: Arc<IdedExpr>,
    used: Arc<BTreeSet<String>>,
    reads: Arc<[(String, JsonPath)]>,
}

impl Condition {
    /// Parses a condition over these variables. The error says what is wrong and where.
    pub fn compile(text: &str, variables: &[&str]) -> Result<Self, RuleError> {
        let read = stack::with_large(|| compile::read(text, variables));
        let unparsed = || Err(RuleError::Invalid("the condition could not be parsed".to_owned()));
        let compile::Compiled { expression, facts, reads } = read.unwrap_or_else(unparsed)?;
        Ok(Self { expression: Arc::new(expression), used: Arc::new(facts.used), reads: reads.into() })
    }

    /// The variables that it uses.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.used.iter().map(String::as_str)
    }

    /// The locations that it reads, if known: a variable and a path in it. An item of a list in a
    /// macro counts as the first one. Locations that are only tested with `has` or `in` are not
    /// included.
    pub fn reads(&self) -> &[(String, JsonPath)] {
        &self.reads
    }

    /// Whether it holds. The error says why that is unknown.
    pub fn holds(&self, variables: &[(&str, &Value)], meter: &Meter) -> Result<bool, EvaluationError> {
        meter.check_stop().map_err(EvaluationError::Exceeded)?;
        let (stop, failed) = (meter.stop(), Err(EvaluationError::Unavailable));
        let (result, steps) =
            stack::with_large(|| (self.evaluate(variables, stop), meter::spent())).unwrap_or((failed, 0));
        meter.steps(steps).map_err(EvaluationError::Exceeded)?;
        result
    }

    fn evaluate(&self, variables: &[(&str, &Value)], stop: Stop) -> Result<bool, EvaluationError> {
        let environment = environment().ok_or(EvaluationError::Unavailable)?;
        let mut context = Context::with_env(environment);
        for (name, document) in variables.iter().filter(|(name, _)| self.used.contains(*name)) {
            let value = convert(document).map_err(|_| EvaluationError::TooLarge((*name).to_owned()))?;
            context.add_variable_as_val(*name, value);
        }
        meter::start(stop);
        match CelValue::resolve_val(&self.expression, &context) {
            Ok(found) => match value::truth(found.as_ref()) {
                Some(truth) => Ok(truth),
                None => Err(EvaluationError::NotBoolean(value::describe(found.as_ref()))),
            },
            Err(error) => Err(EvaluationError::Failed(report::reason(&error, &self.expression, variables))),
        }
    }
}

#[cfg(test)]
mod tests {
    use accord_json::Meter;
    use serde_json::json;

    use super::*;

    fn holds(text: &str, variables: &[(&str, &Value)]) -> Result<bool, String> {
        let names: Vec<&str> = variables.iter().map(|(name, _)| *name).collect();
        let condition = Condition::compile(text, &names).map_err(|error| error.to_string())?;
        condition.holds(variables, &Meter::default()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_condition_is_true_or_false() {
        let (review, count) = (json!({"findings": [1, 2]}), json!(3));
        let variables = [("review", &review), ("count", &count)];
        assert_eq!(holds("review.findings.size() < count", &variables), Ok(true));
        assert_eq!(holds("count + 1 == 5", &variables), Ok(false));
    }

    #[test]
    fn conditions_that_cannot_be_evaluated_are_errors() {
        let review = json!({"a": {}});
        let variables = [("review", &review)];
        assert_eq!(holds("review.a.b == 1", &variables), Err("review.a has no field 'b'".to_owned()));
        assert_eq!(holds("review.a", &variables), Err("expected true or false, got an object".to_owned()));
        let unknown = "line 1, column 1: unknown variable 'other'; available: 'review'";
        assert_eq!(holds("other == 1", &variables), Err(unknown.to_owned()));
    }

    #[test]
    fn conditions_report_the_fields_they_read() {
        let reads = |text: &str| -> Vec<String> {
            let condition = Condition::compile(text, &["output", "input"]).unwrap();
            condition.reads().iter().map(|(name, place)| place.path().replacen('$', name, 1)).collect()
        };
        assert_eq!(
            reads("output.a.b.size() > input.n && output != null"),
            ["output.a.b", "input.n", "output"]
        );
        let items = "output.list.filter(x, x.kind == 'k').all(y, y.other) && output.list.all(x, x.parts.exists(p, p.n == 1))";
        let expected = [
            "output.list",
            "output.list[0].kind",
            "output.list[0]",
            "output.list",
            "output.list[0].parts",
            "output.list[0].parts[0].n",
        ];
        assert_eq!(reads(items), expected);
        assert_eq!(
            reads("output['a-b'][2].c == output.list[input.n]"),
            ["output.a-b[2].c", "output.list", "input.n"]
        );
        assert_eq!(reads("!has(output.a.b) || output.a.b.c == 1"), ["output.a"]);
        assert_eq!(reads("'a' in output ? output.a == 1 : true"), ["output"]);
        assert_eq!(reads("[1, 2].all(output_of, output_of > 0)"), [""; 0]);
    }

    #[test]
    fn null_is_named() {
        let (review, other) = (Value::Null, json!({"a": null}));
        let variables = [("review", &review), ("other", &other)];
        let told = |text: &str| holds(text, &variables).unwrap_err();
        assert_eq!(told("review.findings.size() > 0"), "review is null, so it has no field 'findings'");
        assert_eq!(told("other.a.b == 1"), "other.a is null, so it has no field 'b'");
        assert_eq!(
            told("other.a.size() > 0"),
            "'size' does not accept null; write size(value) or value.size()"
        );
    }

    #[test]
    fn a_variable_that_is_not_used_is_not_converted() {
        let huge: Value = serde_json::from_str("123456789012345678901234567890").unwrap();
        let one = json!(1);
        assert_eq!(holds("one == 1", &[("one", &one), ("huge", &huge)]), Ok(true));
    }
}
