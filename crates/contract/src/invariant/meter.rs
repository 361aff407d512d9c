//! A budget for evaluation, which the evaluator itself does not have.
//!
//! The expression is rewritten so that work passes through a function that charges for it and
//! returns its argument: each turn of a loop with the item that it copies, each element that is put
//! into a list, each operand of an operator or function whose cost grows with its size. So the
//! work, and the memory that it takes, stay below the budget whatever the rule and the data. The
//! budget is in a thread-local because the evaluator's functions have no state; each check runs on
//! its own thread.

use std::cell::{Cell, RefCell};

use accord_json::Stop;

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr};
use cel::common::types::{CelBytes, CelList, CelMap, CelString, DYN_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::convert::Inexact;
use crate::limits::MAX_INVARIANT_STEPS;
use crate::schema::pattern::{Size, size_of};

/// Charges for its only argument, or for both; hands on the last one.
const CHARGE: &str = "@charge";
/// Charges like [`CHARGE`], and rounds a number that the evaluator cannot hold.
const ROUND: &str = "@round";
/// Charges for a string's length, but not for a container's parts.
const GLANCE: &str = "@glance";

/// Charges for a regular expression that is about to be compiled and run over the given text; returns the expression.
const PATTERN: &str = "@pattern";

/// The error text of an exhausted budget, by which it is recognised.
const EXHAUSTED: &str = "@exhausted";

/// Bytes of a string that cost as much as one value.
const BYTES_PER_STEP: usize = 16;

/// Compiling a pattern, which happens at each use, costs at least as much as visiting this many values.
const PATTERN_STEPS: u64 = 500;

/// Positions of a pattern that the engine checks in the time of one step, for each byte of the text.
const POSITIONS_PER_STEP: u64 = 64;

/// Operators that compare for equality, without rounding.
const SAME: &[&str] = &["_==_", "_!=_", "@in"];

/// Operators whose cost does not grow with their operands.
const FREE: &[&str] = &["_&&_", "_||_", "!_", "_?_:_", "@not_strictly_false", "_[_]"];

thread_local! {
    static STEPS_LEFT: Cell<u64> = const { Cell::new(0) };
    static STOP: RefCell<Stop> = RefCell::new(Stop::default());
}

/// Fills the budget of this thread, until the work is asked to stop.
pub(super) fn start(stop: Stop) {
    STEPS_LEFT.set(MAX_INVARIANT_STEPS);
    STOP.set(stop);
}

/// How much of the budget was used.
pub(super) fn spent() -> u64 {
    MAX_INVARIANT_STEPS - STEPS_LEFT.get()
}

/// Whether an error means that the budget is spent.
pub(super) fn is_exhausted(error: &ExecutionError) -> bool {
    matches!(error, ExecutionError::FunctionError { function, .. } if function == EXHAUSTED)
}

/// An environment that knows the metering functions.
pub(super) fn environment() -> Result<Env, DeclarationError> {
    let mut environment = Env::stdlib();
    environment.add_overload(CHARGE, "charge_one", vec![DYN_TYPE], charge)?;
    environment.add_overload(CHARGE, "charge_two", vec![DYN_TYPE, DYN_TYPE], charge)?;
    environment.add_overload(ROUND, "round", vec![DYN_TYPE], round)?;
    environment.add_overload(GLANCE, "glance", vec![DYN_TYPE], glance)?;
    environment.add_overload(PATTERN, "pattern", vec![DYN_TYPE, DYN_TYPE], pattern)?;
    Ok(environment)
}

fn charge<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let left = STEPS_LEFT.get();
    let cost = arguments.iter().fold(1, |cost, argument| weigh(argument.as_ref(), cost, left));
    spend(cost)?;
    arguments.pop().ok_or_else(ExecutionError::missing_argument_or_target)
}

fn round<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let value = charge(arguments)?;
    let rounded = value.downcast_ref::<Inexact>().and_then(Inexact::rounded);
    Ok(rounded.map_or(value, CowVal::owned))
}

fn glance<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let argument = arguments.pop().ok_or_else(ExecutionError::missing_argument_or_target)?;
    spend(1 + argument.downcast_ref::<CelString>().map_or(0, |text| bytes_cost(text.inner().len())))?;
    Ok(argument)
}

fn pattern<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let length =
        |argument: &CowVal<'b, 'v>| argument.downcast_ref::<CelString>().map_or(0, |text| text.inner().len());
    let text = arguments.first().map_or(0, length) as u64;
    let written = arguments.last().and_then(|last| last.downcast_ref::<CelString>()).map(CelString::inner);
    let Size { parts, positions } = size_of(written.unwrap_or_default());
    spend(parts.max(PATTERN_STEPS).saturating_add(text.saturating_mul(positions) / POSITIONS_PER_STEP))?;
    charge(arguments)
}

fn spend(cost: u64) -> Result<(), ExecutionError> {
    let left = if STOP.with_borrow(Stop::is_set) { 0 } else { STEPS_LEFT.get() };
    STEPS_LEFT.set(left.saturating_sub(cost));
    if cost > left { Err(ExecutionError::function_error(EXHAUSTED, "")) } else { Ok(()) }
}

fn bytes_cost(bytes: usize) -> u64 {
    (bytes / BYTES_PER_STEP) as u64
}

/// Adds the size of a value to a cost. Stops counting beyond what is left.
fn weigh(value: &(dyn Val + '_), cost: u64, left: u64) -> u64 {
    if cost > left {
        return cost;
    }
    if let Some(list) = value.downcast_ref::<CelList>() {
        return list.inner().iter().fold(cost + 1, |cost, item| weigh(item.as_ref(), cost, left));
    }
    if let Some(map) = value.downcast_ref::<CelMap>() {
        return map.inner().values().fold(cost + 1, |cost, member| weigh(member.as_ref(), cost + 1, left));
    }
    let bytes = match (value.downcast_ref::<CelString>(), value.downcast_ref::<CelBytes>()) {
        (Some(text), _) => text.inner().len(),
        (_, Some(bytes)) => bytes.inner().len(),
        _ => 0,
    };
    cost + 1 + bytes_cost(bytes)
}

/// Fits an expression with the meter.
pub(super) fn attach(expression: &mut IdedExpr) {
    match &mut expression.expr {
        Expr::Call(call) => attach_to_call(call),
        Expr::Select(select) => attach(&mut select.operand),
        Expr::List(list) => list.elements.iter_mut().for_each(attach_and_charge),
        Expr::Map(map) => {
            for entry in &mut map.entries {
                match &mut entry.expr {
                    EntryExpr::MapEntry(entry) => {
                        attach_and_charge(&mut entry.key);
                        attach_and_charge(&mut entry.value);
                    }
                    EntryExpr::StructField(field) => attach_and_charge(&mut field.value),
                }
            }
        }
        Expr::Comprehension(comprehension) => attach_to_loop(comprehension),
        Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => {}
    }
}

fn attach_and_charge(expression: &mut IdedExpr) {
    attach(expression);
    wrap(expression, CHARGE);
}

fn attach_to_call(call: &mut CallExpr) {
    let meter = match call.func_name.as_str() {
        name if FREE.contains(&name) => None,
        "size" => Some(GLANCE),
        name if SAME.contains(&name) => Some(CHARGE),
        _ => Some(ROUND),
    };
    // The evaluator builds the result of `map` and `filter` in place if it sees its own accumulator here.
    let accumulates = call.args.first().is_some_and(is_accumulator);
    for part in call.target.as_deref_mut().into_iter().chain(&mut call.args) {
        attach(part);
        if let (Some(function), false) = (meter, accumulates) {
            wrap(part, function);
        }
    }
    if call.func_name == "matches" {
        let text = call.target.as_deref().or(call.args.first()).cloned();
        if let Some(expression) = call.args.last_mut() {
            wrap_always(expression, PATTERN, text);
        }
    }
}

/// A loop is charged where its condition is evaluated, which nothing can hush up, and again for its item.
fn attach_to_loop(comprehension: &mut ComprehensionExpr) {
    let ComprehensionExpr { iter_range, iter_var, accu_init, loop_cond, loop_step, result, .. } =
        comprehension;
    [&mut *iter_range, accu_init, &mut *loop_cond, &mut *loop_step, result].into_iter().for_each(attach);
    // A literal condition marks a list that is built in place, where every error ends the loop at once.
    if !matches!(loop_cond.expr, Expr::Literal(_)) || !matches!(accu_init.expr, Expr::List(_)) {
        wrap_always(loop_cond, CHARGE, None);
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
            let item = IdedExpr { id: deciding.id, expr: Expr::Ident(iter_var.clone()) };
            wrap_always(deciding, CHARGE, Some(item));
        }
    }
}

fn is_accumulator(expression: &IdedExpr) -> bool {
    matches!(&expression.expr, Expr::Ident(name) if name.starts_with('@'))
}

/// Puts a metering function around an expression, unless it is a constant.
fn wrap(expression: &mut IdedExpr, function: &str) {
    if !matches!(expression.expr, Expr::Literal(_)) {
        wrap_always(expression, function, None);
    }
}

fn wrap_always(expression: &mut IdedExpr, function: &str, beside: Option<IdedExpr>) {
    let inner = std::mem::take(expression);
    let id = inner.id;
    let args = beside.into_iter().chain([inner]).collect();
    *expression =
        IdedExpr { id, expr: Expr::Call(CallExpr { func_name: function.to_owned(), target: None, args }) };
}
