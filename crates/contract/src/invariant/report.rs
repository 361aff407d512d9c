//! Evaluating the rules, and saying what came out of them.

use accord_json::Stop;
use cel::common::ast::{Expr, IdedExpr};
use cel::common::value::Val;
use cel::{Context, ExecutionError, Value as CelValue};
use serde_json::Value;

use super::compile::Rule;
use super::convert::convert;
use super::environment::environment;
use super::{analysis, functions, meter, value};
use crate::json_path::JsonPath;
use crate::violation::Violation;
use crate::violation::escape::quoted;

/// A rule longer than this is not repeated in the message: it would bury the message.
const SHOWN_RULE: usize = 200;

const TOO_LARGE: &str = "the data is too large for this rule";

/// The rules that do not hold. To be called on a large stack.
pub(super) fn check(rules: &[Rule], output: &Value, input: &Value, stop: Stop) -> Vec<Violation> {
    let documents = [
        ("output", output, rules.iter().any(|rule| rule.uses_output)),
        ("input", input, rules.iter().any(|rule| rule.uses_input)),
    ];
    let mut variables: Vec<(&str, Box<dyn Val + '_>)> = Vec::new();
    for (name, document, _) in documents.into_iter().filter(|(_, _, used)| *used) {
        match convert(document) {
            Ok(value) => variables.push((name, value)),
            Err(_) => {
                let message = format!("the {name} has too many values to check the invariants");
                return vec![Violation::new(&JsonPath::root(), "invariant", message)];
            }
        }
    }
    let Some(environment) = environment() else {
        return vec![Violation::new(&JsonPath::root(), "invariant", "the invariants could not be checked")];
    };
    let mut context = Context::with_env(environment);
    for (name, value) in variables {
        context.add_variable_as_val(name, value);
    }
    meter::start(stop);
    rules.iter().filter_map(|rule| broken(rule, &context, output, input)).collect()
}

fn broken(rule: &Rule, context: &Context<'_, '_>, output: &Value, input: &Value) -> Option<Violation> {
    let detail = match CelValue::resolve_val(&rule.expression, context) {
        Ok(found) => match value::truth(found.as_ref()) {
            Some(true) => return None,
            Some(false) => sides(&rule.expression, context),
            None => Some(format!("expected true or false, got {}", value::describe(found.as_ref()))),
        },
        Err(error) => {
            let documents = [("output", output), ("input", input)];
            Some(format!("it could not be checked: {}", reason(&error, &rule.expression, &documents)))
        }
    };
    let shown = one_line(&rule.source.rule);
    let shown = (shown.chars().count() <= SHOWN_RULE).then(|| format!("rule: {shown}"));
    let remarks: Vec<String> = shown.into_iter().chain(detail).collect();
    let message = match remarks.as_slice() {
        [] => one_line(&rule.source.message),
        _ => format!("{} ({})", one_line(&rule.source.message), remarks.join("; ")),
    };
    Some(Violation::new(&rule.place, "invariant", message))
}

fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Both sides of a comparison: `here 2 == 3`.
fn sides(expression: &IdedExpr, context: &Context<'_, '_>) -> Option<String> {
    let Expr::Call(call) = &expression.expr else { return None };
    let operator = functions::operator_of(call)
        .filter(|operator| ["==", "!=", "<", "<=", ">", ">="].contains(operator))?;
    let [_, left, right] = call.args.as_slice() else { return None };
    let side = |side| CelValue::resolve_val(side, context).ok().map(|value| value::describe(value.as_ref()));
    Some(format!("here: {} {operator} {}", side(left)?, side(right)?))
}

/// Why a rule could not be evaluated. Never by the evaluator's own text, which prints whole documents.
pub(super) fn reason(error: &ExecutionError, expression: &IdedExpr, documents: &[(&str, &Value)]) -> String {
    match error {
        _ if meter::is_exhausted(error) => TOO_LARGE.to_owned(),
        ExecutionError::NoSuchKey(name) => missing_field(name, expression, documents),
        ExecutionError::NoSuchOverload(overload) => {
            let types: Vec<&str> =
                overload.argument_types().iter().map(|name| value::kind_named(name)).collect();
            let taken = || match (overload.function().trim_matches(['_', '@']), types.as_slice()) {
                (".", [owner, ..]) => format!("{owner} has no fields"),
                (function, types) => format!("'{function}' does not accept {}", types.join(" and ")),
            };
            field_of_null(expression, documents).unwrap_or_else(taken)
        }
        ExecutionError::UnexpectedType { got, want } => {
            format!("expected {}, got {}", value::kind_named(want), value::kind_named(got))
        }
        ExecutionError::IndexOutOfBounds(CelValue::Int(index)) => format!("the list has no item {index}"),
        ExecutionError::IndexOutOfBounds(_) => "the list has no such item".to_owned(),
        ExecutionError::UndeclaredReference(name) => format!("unknown name {}", quoted(name)),
        ExecutionError::FunctionError { function, message } if function == functions::EXPLAINED => {
            message.clone()
        }
        ExecutionError::DuplicateKey(_) => "an object has a key twice".to_owned(),
        _ => "incompatible operands".to_owned(),
    }
}

/// The first path of the rule that reads a field off null.
fn field_of_null(expression: &IdedExpr, documents: &[(&str, &Value)]) -> Option<String> {
    let mut found = None;
    let document = |root: &str| documents.iter().find(|(name, _)| *name == root).map(|(_, value)| *value);
    each_path(expression, &document, &mut |root, fields| {
        let mut current = document(root);
        let mut owner = root.to_owned();
        for field in fields {
            if current == Some(&Value::Null) && found.is_none() {
                found = Some(format!("{owner} is null, so it has no field {}", quoted(field)));
            }
            current = current.and_then(|value| value.get(field));
            owner = format!("{owner}.{field}");
        }
    });
    found
}

/// Which value lacks the field: the first path of the rule that breaks off there, else some item.
fn missing_field(name: &str, expression: &IdedExpr, documents: &[(&str, &Value)]) -> String {
    let mut owner = None;
    let document = |root: &str| documents.iter().find(|(name, _)| *name == root).map(|(_, value)| *value);
    each_path(expression, &document, &mut |root, fields| {
        let mut current = document(root);
        for (depth, field) in fields.iter().enumerate() {
            if field == name && current.is_some_and(|value| value.get(name).is_none()) && owner.is_none() {
                let before = fields.iter().take(depth).map(|field| format!(".{field}")).collect::<String>();
                owner = Some(format!("{root}{before}"));
            }
            current = current.and_then(|value| value.get(field));
        }
    });
    format!("{} has no field {}", owner.unwrap_or_else(|| "an item".to_owned()), quoted(name))
}

/// Calls back with the root and the fields of each path into a known document.
fn each_path<'v>(
    expression: &IdedExpr,
    document: &dyn Fn(&str) -> Option<&'v Value>,
    visit: &mut dyn FnMut(&str, &[String]),
) {
    if let Some((root, fields)) = static_path(expression, document) {
        visit(&root, &fields);
        return;
    }
    analysis::parts(expression).into_iter().for_each(|part| each_path(part, document, visit));
}

fn static_path<'v>(
    expression: &IdedExpr,
    document: &dyn Fn(&str) -> Option<&'v Value>,
) -> Option<(String, Vec<String>)> {
    match &expression.expr {
        Expr::Ident(name) => document(name).map(|_| (name.clone(), Vec::new())),
        Expr::Select(select) if !select.test => {
            let (root, mut fields) = static_path(&select.operand, document)?;
            fields.push(select.field.clone());
            Some((root, fields))
        }
        _ => None,
    }
}
