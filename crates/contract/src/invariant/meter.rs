//! A budget for evaluation, which the evaluator itself does not have.
//!
//! The expression is rewritten ([`super::rewrite`]) so that work passes through a function that charges for it: each turn of a loop
//! with the item that it copies, each element that is put into a list, what each operator and function reads and makes. So the
//! work, and the memory that it takes, stay below the budget whatever the rule and the data. The budget is in a thread-local
//! because the evaluator's functions have no state; each check runs on its own thread.

use std::cell::{Cell, RefCell};

use accord_json::Stop;
use cel::ExecutionError;
use cel::common::types::{CelBool, CelBytes, CelList, CelMap};
use cel::common::value::{CowVal, Val};

use super::{number, value};
use crate::limits::MAX_INVARIANT_STEPS;

/// Charges for its only argument, or for both; hands on the last one.
pub(super) const CHARGE: &str = "@charge";

/// Calls a function by its row.
pub(super) const CALL: &str = "@call";

/// The error text of an exhausted budget, by which it is recognised.
const EXHAUSTED: &str = "@exhausted";

/// Bytes of a string that cost as much as one value.
const BYTES_PER_STEP: usize = 16;

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

pub(super) fn charge<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    charge_for(&arguments.iter().map(CowVal::as_ref).collect::<Vec<_>>())?;
    arguments.pop().ok_or_else(ExecutionError::missing_argument_or_target)
}

/// What reading all of these values costs. Stops counting beyond what is left.
pub(super) fn weight(values: &[&(dyn Val + '_)]) -> u64 {
    let left = STEPS_LEFT.get();
    values.iter().fold(0, |cost, value| weigh(*value, cost, left))
}

/// Charges for reading all of these values.
pub(super) fn charge_for(values: &[&(dyn Val + '_)]) -> Result<(), ExecutionError> {
    spend(1 + weight(values))
}

/// Charges for reading these values without what is in lists and objects.
pub(super) fn charge_for_surface(values: &[&(dyn Val + '_)]) -> Result<(), ExecutionError> {
    let bytes = |value: &&(dyn Val + '_)| value::text(*value).map_or(0, |text| bytes_cost(text.len()));
    spend(1 + values.iter().map(bytes).sum::<u64>())
}

/// Charges for a result. One that is not larger than what was read costs as much.
pub(super) fn charge_for_made(value: &(dyn Val + '_)) -> Result<(), ExecutionError> {
    if value.downcast_ref::<CelBool>().is_some() { Ok(()) } else { spend(weight(&[value])) }
}

pub(super) fn spend(cost: u64) -> Result<(), ExecutionError> {
    let left = if STOP.with_borrow(Stop::is_set) { 0 } else { STEPS_LEFT.get() };
    STEPS_LEFT.set(left.saturating_sub(cost));
    if cost > left { Err(ExecutionError::function_error(EXHAUSTED, "")) } else { Ok(()) }
}

pub(super) fn bytes_cost(bytes: usize) -> u64 {
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
    let more = match (value::text(value), value.downcast_ref::<CelBytes>()) {
        (Some(text), _) => bytes_cost(text.len()),
        (_, Some(bytes)) => bytes_cost(bytes.inner().len()),
        _ => number::weight(value),
    };
    cost + 1 + more
}
