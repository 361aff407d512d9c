//! The functions and operators of rules: one table each for what they are about.
//!
//! Calls are rewritten when a rule is compiled: `a + b` becomes `@call(3, a, b)`, where 3 is the row of `+`. So all of them pass
//! through one door, [`call`], which charges the budget for what a function reads and makes, and says which function was given
//! what. A function that makes more than it reads charges for it before it makes it.

mod function;
mod lists;
mod numbers;
mod operators;
mod texts;
mod times;
mod types;

pub(super) use operators::{INDEX, NUMBER, SORT_BY};

use std::fmt::Write as _;

use accord_json::nearest;
use cel::ExecutionError;
use cel::common::ast::{CallExpr, Expr, LiteralValue};
use cel::common::types::CelInt;
use cel::common::value::CowVal;

use super::meter;
use super::value::{describe, kind};
use function::{ANY, Argument, Function, Reads, Wrong};

const TABLES: &[&[Function]] =
    &[operators::TABLE, numbers::TABLE, lists::TABLE, texts::TABLE, times::TABLE, types::TABLE];

/// Operators that are the evaluator's own: their cost does not grow with their operands, and they do not read numbers.
pub(super) const EVALUATED: &[&str] = &["_&&_", "_||_", "!_", "_?_:_", "@not_strictly_false", "_[_]"];

/// What the names in front of functions can be.
const NAMESPACES: &[&str] = &["math", "lists", "sets", "strings"];

/// The macros, and how they are called.
pub(super) const MACROS: &[(&str, &str)] = &[
    ("all", "list.all(x, …x…)"),
    ("exists", "list.exists(x, …x…)"),
    ("exists_one", "list.exists_one(x, …x…)"),
    ("existsOne", "list.existsOne(x, …x…)"),
    ("filter", "list.filter(x, …x…)"),
    ("map", "list.map(x, …x…)"),
    ("sortBy", "list.sortBy(x, …x…)"),
    ("reduce", "list.reduce(total, x, 0, total + …x…)"),
    ("has", "has(output.field)"),
];

/// What others call it.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("len", "size"),
    ("length", "size"),
    ("count", "size"),
    ("any", "exists"),
    ("some", "exists"),
    ("every", "all"),
    ("fold", "reduce"),
    ("includes", "contains"),
    ("unique", "distinct"),
    ("uniq", "distinct"),
    ("substr", "substring"),
    ("toLowerCase", "lower"),
    ("toUpperCase", "upper"),
    ("strip", "trim"),
    ("float", "double"),
    ("number", "double"),
    ("str", "string"),
];

/// The functions of the guide.
pub(super) fn all() -> impl Iterator<Item = &'static Function> {
    TABLES.iter().copied().flatten().filter(|function| !function.is_operator())
}

fn row(name: &str) -> Option<(i64, &'static Function)> {
    (0i64..).zip(TABLES.iter().copied().flatten()).find(|(_, function)| function.name == name)
}

fn at(row: i64) -> Option<&'static Function> {
    TABLES.iter().copied().flatten().nth(usize::try_from(row).ok()?)
}

/// The row of an operator or a function that only rewritten rules call.
pub(super) fn operator(name: &str) -> Option<i64> {
    row(name).map(|(row, _)| row)
}

/// Whether a call is written as an operator, or by a macro.
pub(super) fn is_operator(name: &str) -> bool {
    EVALUATED.contains(&name) || row(name).is_some_and(|(_, function)| function.is_operator())
}

/// The operator that a rewritten expression is, as people write it.
pub(super) fn operator_of(call: &CallExpr) -> Option<&'static str> {
    let Some(Expr::Literal(LiteralValue::Int(row))) = call.args.first().map(|row| &row.expr) else {
        return None;
    };
    let function =
        at(*row.inner()).filter(|function| call.func_name == meter::CALL && function.is_operator())?;
    Some(function.name.trim_matches('_'))
}

/// The namespace of a call, if its target is one.
fn namespace(call: &CallExpr) -> Option<&str> {
    match &call.target.as_deref()?.expr {
        Expr::Ident(name) if NAMESPACES.contains(&name.as_str()) => Some(name),
        _ => None,
    }
}

/// A call of a function.
pub(super) struct Call {
    pub(super) row: i64,
    pub(super) function: &'static Function,
    /// Whether the target is a namespace, and no argument.
    pub(super) is_qualified: bool,
}

/// Which function a call means, or why none. A function is called as `f(x, y)` or as `x.f(y)`.
pub(super) fn resolve(call: &CallExpr, is_variable: &dyn Fn(&str) -> bool) -> Result<Call, String> {
    if let Some(namespace) = namespace(call) {
        let name = format!("{namespace}.{}", call.func_name);
        match row(&name) {
            Some((row, function)) if function.takes(call.args.len()) => {
                return Ok(Call { row, function, is_qualified: true });
            }
            Some((_, function)) if !is_variable(namespace) => {
                return Err(wrong_count(function, call.args.len()));
            }
            None if !is_variable(namespace) => return Err(unknown(&name)),
            _ => {}
        }
    }
    let arguments = call.args.len() + usize::from(call.target.is_some());
    match row(&call.func_name) {
        Some((row, function)) if function.takes(arguments) => Ok(Call { row, function, is_qualified: false }),
        Some((_, function)) if !function.is_operator() => Err(wrong_count(function, arguments)),
        _ => Err(unknown(&call.func_name)),
    }
}

fn wrong_count(function: &Function, arguments: usize) -> String {
    let taken = match (function.least, function.most) {
        (least, ANY) => format!("{least} or more arguments"),
        (1, 1) => "1 argument".to_owned(),
        (least, most) if least == most => format!("{least} arguments"),
        (least, most) => format!("{least} to {most} arguments"),
    };
    format!("'{}' takes {taken}, got {arguments}; write {}", function.name, function.usage)
}

fn unknown(name: &str) -> String {
    let wrong = crate::violation::escape::quoted(name);
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    if let Some((macro_name, usage)) = MACROS.iter().find(|(known, _)| *known == name) {
        return format!("'{macro_name}' is called like this: {usage}");
    }
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == last(name)).map(|(_, name)| *name);
    let names = || all().map(|function| function.name);
    let same = || names().find(|known| last(known) == last(name));
    let macros = || MACROS.iter().map(|(name, _)| *name);
    let meant = other.or_else(same).or_else(|| nearest(name, names().chain(macros())));
    let meant = meant.or_else(|| {
        let wrong = last(name);
        names().find(|known| nearest(&wrong, [last(known).as_str()]).is_some())
    });
    let hint = match meant {
        Some(meant) => format!("did you mean '{meant}'?"),
        None => "docs/guides/rules.md lists the functions".to_owned(),
    };
    format!("unknown function {wrong}; {hint}")
}

/// The door: the row of a function, and its arguments.
pub(super) fn call<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let unknown = || ExecutionError::function_error("", "unknown function");
    let (row, arguments) = arguments.split_first().ok_or_else(unknown)?;
    let row = row.downcast_ref::<CelInt>().ok_or_else(unknown)?;
    let function = at(*row.inner()).ok_or_else(unknown)?;
    let arguments: Vec<Argument<'_, 'v>> = arguments.iter().map(CowVal::as_ref).collect();
    match function.reads {
        Reads::All => meter::charge_for(&arguments)?,
        Reads::Surface => meter::charge_for_surface(&arguments)?,
    }
    let made = (function.run)(&arguments).map_err(|wrong| error(function, wrong, &arguments))?;
    meter::charge_for_made(made.as_ref())?;
    Ok(CowVal::Owned(made))
}

/// The name by which an error is recognised that is a message already.
pub(super) const EXPLAINED: &str = "@explained";

fn error(function: &Function, wrong: Wrong, arguments: &[Argument<'_, '_>]) -> ExecutionError {
    let name = function.name.trim_matches(['_', '@']);
    let usage = match function.is_operator() {
        true => String::new(),
        false => format!("; write {}", function.usage),
    };
    let message = match wrong {
        Wrong::Spent(error) => return error,
        Wrong::Because(reason) if function.name.starts_with(['_', '-']) => reason,
        Wrong::Because(reason) => format!("'{name}' failed: {reason}"),
        Wrong::Item(index) => {
            let item = arguments
                .first()
                .and_then(|list| super::value::list(*list))
                .and_then(|items| items.get(index));
            let item = item.map(|item| described(item.as_ref())).unwrap_or_default();
            format!("'{name}' does not accept a list with {item} at index {index}{usage}")
        }
        Wrong::Kinds => {
            let mut kinds = String::new();
            for (index, argument) in arguments.iter().enumerate() {
                let between = if index == 0 { "" } else { " and " };
                let _ = write!(kinds, "{between}{}", kind(*argument));
            }
            format!("'{name}' does not accept {kinds}{usage}")
        }
    };
    ExecutionError::function_error(EXPLAINED, message)
}

/// A value and its kind.
fn described(value: Argument<'_, '_>) -> String {
    let (kind, text) = (kind(value), describe(value));
    if kind == text || text.starts_with("a list") || kind == "an object" {
        text
    } else {
        format!("{kind} ({text})")
    }
}
