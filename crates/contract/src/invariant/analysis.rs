//! Static analysis of a rule: which names and functions it uses, whether it can be a boolean, and which field of the
//! output it is about.

use std::collections::BTreeSet;

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedEntryExpr, IdedExpr, LiteralValue};

use super::functions;
use crate::json_path::{JsonPath, Step};
use crate::limits::{MAX_INVARIANT_DEPTH, MAX_INVARIANT_MACROS};
use crate::violation::escape::quoted;

const TYPE_NAMES: &[&str] =
    &["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"];

/// An expression that is wrong, and why.
#[derive(Debug)]
pub(super) struct ExpressionError {
    pub(super) expression: u64,
    pub(super) message: String,
}

fn expression_error(expression: &IdedExpr, message: impl Into<String>) -> ExpressionError {
    ExpressionError { expression: expression.id, message: message.into() }
}

#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The variables that it uses.
    pub(super) used: BTreeSet<String>,
    paths: Vec<Vec<String>>,
}

impl Facts {
    /// The field that all of the rule is about: what the paths into `output` have in common.
    pub(super) fn place(&self) -> JsonPath {
        let Some((first, others)) = self.paths.split_first() else { return JsonPath::root() };
        let shared = others.iter().fold(first.len(), |length, path| {
            path.iter().zip(first).take(length).take_while(|(left, right)| left == right).count()
        });
        first.iter().take(shared).cloned().map(Step::Key).collect()
    }
}

/// Analyses a rule over these variables.
pub(super) fn analyse(expression: &IdedExpr, variables: &[&str]) -> Result<Facts, ExpressionError> {
    check_depth(expression, 0)?;
    let mut facts = Facts::default();
    let mut scope = Scope { variables, names: Vec::new(), macros: 0 };
    walk(expression, &mut scope, &mut facts)?;
    match kind_of(expression) {
        Some(kind) => {
            Err(expression_error(expression, format!("the rule must evaluate to a boolean, not to {kind}")))
        }
        None => Ok(facts),
    }
}

/// A long chain of operators is as deep as a pile of brackets once it is parsed.
fn check_depth(expression: &IdedExpr, depth: usize) -> Result<(), ExpressionError> {
    if depth > MAX_INVARIANT_DEPTH {
        let message = format!(
            "more than {MAX_INVARIANT_DEPTH} nested operators; split the rule into several invariants"
        );
        return Err(expression_error(expression, message));
    }
    parts(expression).into_iter().try_for_each(|part| check_depth(part, depth + 1))
}

/// The expressions directly inside an expression.
pub(super) fn parts(expression: &IdedExpr) -> Vec<&IdedExpr> {
    match &expression.expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => Vec::new(),
        Expr::Select(select) => vec![&select.operand],
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).collect(),
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => map.entries.iter().flat_map(entry_parts).collect(),
        Expr::Struct(made) => made.entries.iter().flat_map(entry_parts).collect(),
        Expr::Comprehension(inner) => {
            vec![&inner.iter_range, &inner.accu_init, &inner.loop_cond, &inner.loop_step, &inner.result]
        }
    }
}

fn entry_parts(entry: &IdedEntryExpr) -> Vec<&IdedExpr> {
    match &entry.expr {
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
        EntryExpr::StructField(field) => vec![&field.value],
    }
}

struct Scope<'a> {
    variables: &'a [&'a str],
    names: Vec<String>,
    macros: usize,
}

fn walk(expression: &IdedExpr, scope: &mut Scope<'_>, facts: &mut Facts) -> Result<(), ExpressionError> {
    if let Some(path) = output_path(expression, scope) {
        facts.used.insert("output".to_owned());
        facts.paths.push(path);
        return Ok(());
    }
    match &expression.expr {
        Expr::Ident(name) => return check_name(expression, name, scope, facts),
        Expr::Comprehension(comprehension) => return walk_macro(expression, comprehension, scope, facts),
        Expr::Struct(_) => {
            return Err(expression_error(expression, "a rule cannot create objects of a named type"));
        }
        Expr::Unspecified => return Err(expression_error(expression, "the rule cannot be parsed")),
        Expr::Call(call) => return walk_call(expression, call, scope, facts),
        Expr::Literal(_) | Expr::Select(_) | Expr::List(_) | Expr::Map(_) => {}
    }
    parts(expression).into_iter().try_for_each(|part| walk(part, scope, facts))
}

fn walk_macro(
    expression: &IdedExpr,
    comprehension: &ComprehensionExpr,
    scope: &mut Scope<'_>,
    facts: &mut Facts,
) -> Result<(), ExpressionError> {
    for name in [&comprehension.iter_var, &comprehension.accu_var] {
        if scope.variables.contains(&name.as_str()) {
            return Err(expression_error(expression, format!("'{name}' is not a valid item name")));
        }
    }
    walk(&comprehension.iter_range, scope, facts)?;
    walk(&comprehension.accu_init, scope, facts)?;
    scope.macros += 1;
    if scope.macros > MAX_INVARIANT_MACROS {
        let message = format!("macros are nested deeper than {MAX_INVARIANT_MACROS} levels");
        return Err(expression_error(expression, message));
    }
    let outer = scope.names.len();
    scope.names.push(comprehension.accu_var.clone());
    scope.names.push(comprehension.iter_var.clone());
    scope.names.extend(comprehension.iter_var2.clone());
    for part in [&comprehension.loop_cond, &comprehension.loop_step, &comprehension.result] {
        walk(part, scope, facts)?;
    }
    scope.names.truncate(outer);
    scope.macros -= 1;
    Ok(())
}

/// The fields in `output.a.b`; `None` for anything else.
fn output_path(expression: &IdedExpr, scope: &Scope<'_>) -> Option<Vec<String>> {
    match &expression.expr {
        Expr::Ident(name) => {
            let is_output = name == "output" && scope.variables.contains(&"output");
            (is_output && !scope.names.contains(name)).then(Vec::new)
        }
        Expr::Select(select) => {
            let mut path = output_path(&select.operand, scope)?;
            path.push(select.field.clone());
            Some(path)
        }
        _ => None,
    }
}

fn check_name(
    expression: &IdedExpr,
    name: &str,
    scope: &Scope<'_>,
    facts: &mut Facts,
) -> Result<(), ExpressionError> {
    if scope.variables.contains(&name) {
        facts.used.insert(name.to_owned());
        return Ok(());
    }
    if scope.names.iter().any(|known| known == name) || TYPE_NAMES.contains(&name) {
        return Ok(());
    }
    let known: Vec<String> = scope.variables.iter().map(|known| format!("'{known}'")).collect();
    let known = match known.split_last() {
        None => "no variables".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    };
    let message = format!("unknown variable {}; available: {known}", quoted(name));
    Err(expression_error(expression, message))
}

fn walk_call(
    expression: &IdedExpr,
    call: &CallExpr,
    scope: &mut Scope<'_>,
    facts: &mut Facts,
) -> Result<(), ExpressionError> {
    let mut parts = parts(expression);
    // Operators have names that no rule can write, such as `_==_` and `@in`.
    if !functions::is_operator(&call.func_name) {
        let is_variable =
            |name: &str| scope.variables.contains(&name) || scope.names.iter().any(|known| known == name);
        let called =
            functions::resolve(call, &is_variable).map_err(|error| expression_error(expression, error))?;
        // A namespace is no value.
        if called.is_qualified {
            parts.remove(0);
        }
    }
    parts.into_iter().try_for_each(|part| walk(part, scope, facts))
}

/// The type of an expression, if it is certainly not a boolean.
fn kind_of(expression: &IdedExpr) -> Option<&'static str> {
    match &expression.expr {
        Expr::Literal(LiteralValue::Boolean(_)) => None,
        Expr::Literal(LiteralValue::String(_)) => Some("a string"),
        Expr::Literal(LiteralValue::Bytes(_)) => Some("bytes"),
        Expr::Literal(LiteralValue::Null) => Some("null"),
        Expr::Literal(_) => Some("a number"),
        Expr::List(_) => Some("a list"),
        Expr::Map(_) => Some("a map"),
        Expr::Comprehension(comprehension) => match comprehension.accu_init.expr {
            Expr::List(_) if comprehension.accu_var.starts_with('@') => Some("a list"),
            _ => None,
        },
        Expr::Call(call) => match (call.func_name.as_str(), call.args.as_slice()) {
            ("_?_:_", [_, first, second]) => kind_of(first).or_else(|| kind_of(second)),
            ("_&&_" | "_||_", parts) => parts.iter().find_map(kind_of),
            ("!_", [only]) => kind_of(only),
            ("_[_]", _) => None,
            _ => functions::resolve(call, &|_| true).ok()?.function.result,
        },
        _ => None,
    }
}
