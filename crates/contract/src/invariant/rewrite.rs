//! Rewrites an expression for evaluation: operators and functions become calls of ours, and loops and lists are charged.

use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, ListExpr, LiteralValue, SourceInfo,
};

use super::functions::{self, INDEX, NUMBER};
use super::meter::{CALL, CHARGE};
use super::number::Number;
use crate::decimal::Decimal;

/// Rewrites an expression that was analysed.
pub(super) fn rewrite(expression: &mut IdedExpr, source: &SourceInfo) {
    match &mut expression.expr {
        Expr::Call(_) => rewrite_call(expression, source),
        Expr::Select(select) => rewrite(&mut select.operand, source),
        Expr::List(list) => list.elements.iter_mut().for_each(|element| rewrite_and_charge(element, source)),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                match &mut entry.expr {
                    EntryExpr::MapEntry(entry) => {
                        rewrite_and_charge(&mut entry.key, source);
                        rewrite_and_charge(&mut entry.value, source);
                    }
                    EntryExpr::StructField(field) => rewrite_and_charge(&mut field.value, source),
                }
            }
        }
        Expr::Comprehension(comprehension) => rewrite_loop(comprehension, source),
        Expr::Literal(LiteralValue::Double(float)) => {
            let float = *float.inner();
            rewrite_literal(expression, float, source);
        }
        Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => {}
    }
}

fn rewrite_and_charge(expression: &mut IdedExpr, source: &SourceInfo) {
    rewrite(expression, source);
    if !matches!(expression.expr, Expr::Literal(_)) {
        wrap(expression, CHARGE, None);
    }
}

fn rewrite_call(expression: &mut IdedExpr, source: &SourceInfo) {
    let Expr::Call(call) = &mut expression.expr else { return };
    // The evaluator builds the result of `map` and `filter` in place if it sees its own accumulator here.
    let accumulates = call.args.first().is_some_and(is_accumulator)
        && call.args.get(1).is_some_and(|added| matches!(added.expr, Expr::List(_)));
    let is_kept = functions::EVALUATED.contains(&call.func_name.as_str());
    let resolved = if is_kept { None } else { functions::resolve(call, &|_| true).ok() };
    let qualified = resolved.as_ref().is_some_and(|resolved| resolved.is_qualified);
    if let Some(target) = call.target.take().filter(|_| !qualified) {
        call.args.insert(0, *target);
    }
    call.args.iter_mut().for_each(|part| rewrite(part, source));
    if call.func_name == "_[_]"
        && let Some(index) = call.args.get_mut(1).filter(|index| !matches!(index.expr, Expr::Literal(_)))
        && let Some(row) = functions::operator(INDEX)
    {
        let read = std::mem::take(index);
        *index = called(read.id, row, vec![read]);
    }
    if let Some(resolved) = resolved.filter(|_| !accumulates) {
        let mut arguments = std::mem::take(&mut call.args);
        if resolved.function.takes_list(arguments.len()) {
            for argument in &mut arguments {
                wrap(argument, CHARGE, None);
            }
            arguments = vec![IdedExpr { id: expression.id, expr: Expr::List(ListExpr::new(arguments)) }];
        }
        *expression = called(expression.id, resolved.row, arguments);
    }
}

/// The call of a row of the functions.
fn called(id: u64, row: i64, arguments: Vec<IdedExpr>) -> IdedExpr {
    let row = IdedExpr { id, expr: Expr::Literal(LiteralValue::Int(row.into())) };
    let args = std::iter::once(row).chain(arguments).collect();
    IdedExpr { id, expr: Expr::Call(CallExpr { func_name: CALL.to_owned(), target: None, args }) }
}

/// A literal with more digits than the evaluator keeps is read from the text of the rule.
fn rewrite_literal(expression: &mut IdedExpr, float: f64, source: &SourceInfo) {
    let Some((start, end)) = source.offset_for(expression.id) else { return };
    let length = (end as usize).saturating_sub(start as usize) + 1;
    let written: String = source.source.chars().skip(start as usize).take(length).collect();
    // CEL also writes `.5`, and its parser takes the sign of a number into the value, but not into the place.
    let unsigned = written.trim().trim_start_matches(['-', ' ']);
    let sign = if float.is_sign_negative() { "-" } else { "" };
    let zero = if unsigned.starts_with('.') { "0" } else { "" };
    let written = format!("{sign}{zero}{unsigned}");
    let Some(exact) = Decimal::parse(&written) else { return };
    if Number::of_literal(float) != Some(exact)
        && let Some(row) = functions::operator(NUMBER)
    {
        let literal = Expr::Literal(LiteralValue::String(written.into()));
        *expression = called(expression.id, row, vec![IdedExpr { id: expression.id, expr: literal }]);
    }
}

/// A loop is charged where its condition is evaluated, which nothing can hush up, and again for its item.
fn rewrite_loop(comprehension: &mut ComprehensionExpr, source: &SourceInfo) {
    let ComprehensionExpr { iter_range, iter_var, accu_var, accu_init, loop_cond, loop_step, result, .. } =
        comprehension;
    [&mut *iter_range, accu_init, &mut *loop_cond, &mut *loop_step, result]
        .into_iter()
        .for_each(|part| rewrite(part, source));
    let item = |id| IdedExpr { id, expr: Expr::Ident(iter_var.clone()) };
    // The name of `reduce` is the rule's own: what each turn makes is copied.
    if !accu_var.starts_with('@') {
        wrap(loop_cond, CHARGE, None);
        let item = item(loop_step.id);
        return wrap(loop_step, CHARGE, Some(item));
    }
    // A literal condition marks a list that is built in place, where every error ends the loop at once.
    if !matches!(loop_cond.expr, Expr::Literal(_)) || !matches!(accu_init.expr, Expr::List(_)) {
        wrap(loop_cond, CHARGE, None);
    }
    if let Expr::Call(call) = &mut loop_step.expr {
        let deciding = match call.func_name.as_str() {
            "_?_:_" => call.args.first_mut(),
            "_+_" => call.args.last_mut().and_then(|added| match &mut added.expr {
                Expr::List(list) => list.elements.first_mut(),
                _ => None,
            }),
            _ => call.args.last_mut(),
        };
        if let Some(deciding) = deciding {
            let item = item(deciding.id);
            wrap(deciding, CHARGE, Some(item));
        }
    }
}

fn is_accumulator(expression: &IdedExpr) -> bool {
    matches!(&expression.expr, Expr::Ident(name) if name.starts_with('@'))
}

/// Puts a metering function around an expression.
fn wrap(expression: &mut IdedExpr, function: &str, beside: Option<IdedExpr>) {
    let inner = std::mem::take(expression);
    let id = inner.id;
    let args = beside.into_iter().chain([inner]).collect();
    *expression =
        IdedExpr { id, expr: Expr::Call(CallExpr { func_name: function.to_owned(), target: None, args }) };
}
