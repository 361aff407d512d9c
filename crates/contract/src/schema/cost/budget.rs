//! What all validations of one judgement may cost together.

use std::cell::{Cell, RefCell};

use accord_json::{Meter, Stop};

use crate::limits::{MAX_JUDGEMENT_STEPS, MAX_VALIDATION_LEVELS, MAX_VALIDATION_STEPS};

/// Why a value is not validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooCostly {
    Steps,
    Levels,
    Judgement,
    Stopped,
}

impl TooCostly {
    pub(crate) fn message(self) -> String {
        match self {
            Self::Steps => format!(
                "validation takes more than {MAX_VALIDATION_STEPS} steps, the limit: the value is too large for a schema \
                 with so many branches, values to compare with or patterns; make one of them smaller"
            ),
            Self::Judgement => format!(
                "validating every candidate value takes more than {MAX_JUDGEMENT_STEPS} steps, the limit; answer with one value, or make the schema smaller"
            ),
            Self::Stopped => "validation was stopped because it took too long or nobody waits for it; make the value or the schema smaller".to_owned(),
            Self::Levels => format!(
                "validation nests deeper than {MAX_VALIDATION_LEVELS} levels, the limit: the levels of the value times the \
                 schemas that apply to each of them; make one of them shallower"
            ),
        }
    }
}

/// The remaining budget of the validations of one judgement.
#[derive(Debug, Clone, Copy)]
struct Budget {
    /// Counted against upper bounds: these are quick to find and far too high, so they only decide when it is time to count.
    bounds: u64,
    counted: u64,
    /// Why nothing is validated any more.
    used_up: Option<TooCostly>,
}

impl Budget {
    const WHOLE: Self = Self { bounds: MAX_JUDGEMENT_STEPS, counted: MAX_JUDGEMENT_STEPS, used_up: None };
}

thread_local! {
    /// Judging is pure and stays on one thread; it calls the validator in a dozen places, which would all have to pass this on.
    static LEFT: Cell<Option<Budget>> = const { Cell::new(None) };
    /// Set while there is a budget.
    static STOP: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// What asks the work on this thread to stop.
pub(crate) fn stop() -> Stop {
    STOP.with_borrow(|stop| stop.clone().unwrap_or_default())
}

/// Whether the work on this thread was asked to stop.
pub(crate) fn is_stopped() -> bool {
    STOP.with_borrow(|stop| stop.as_ref().is_some_and(Stop::is_set))
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Precision {
    Bound,
    Counted,
}

pub(super) fn pay(steps: u64, precision: Precision) -> Result<(), TooCostly> {
    let Some(budget) = LEFT.get() else { return Ok(()) };
    if is_stopped() {
        LEFT.set(Some(Budget { used_up: Some(TooCostly::Stopped), ..budget }));
        return Err(TooCostly::Stopped);
    }
    let left = match precision {
        Precision::Bound => budget.bounds.checked_sub(steps).map(|bounds| Budget { bounds, ..budget }),
        Precision::Counted => budget.counted.checked_sub(steps).map(|counted| Budget { counted, ..budget }),
    };
    if left.is_none() && matches!(precision, Precision::Counted) {
        LEFT.set(Some(Budget { used_up: Some(TooCostly::Judgement), ..budget }));
    }
    LEFT.set(Some(left.ok_or(TooCostly::Judgement)?));
    Ok(())
}

/// Why nothing is validated any more, once the budget is spent.
pub(super) fn used_up() -> Option<TooCostly> {
    LEFT.get()?.used_up
}

/// Counting up to the limit takes as long as validating, so a refusal costs as much as the most that is allowed.
pub(super) fn refuse(reason: TooCostly, most: u64) -> TooCostly {
    if let Some(budget) = LEFT.get() {
        let counted = budget.counted.saturating_sub(most);
        let used_up = budget.used_up.or((counted == 0).then_some(reason));
        LEFT.set(Some(Budget { counted, used_up, ..budget }));
    }
    reason
}

/// Runs work whose validations share one budget, stop with the meter and are charged to it. Nested calls share the budget of
/// the outer one.
pub(crate) fn within_one_budget<T>(meter: &Meter, work: impl FnOnce() -> T) -> T {
    struct Restored(Option<Budget>);
    impl Drop for Restored {
        fn drop(&mut self) {
            LEFT.set(self.0);
            if self.0.is_none() {
                STOP.set(None);
            }
        }
    }
    let before = LEFT.get();
    if before.is_some() {
        return work();
    }
    let restored = Restored(None);
    let used_up = meter.check().is_err().then_some(TooCostly::Stopped);
    let left = meter.steps_left().min(MAX_JUDGEMENT_STEPS);
    LEFT.set(Some(Budget { used_up, counted: left, ..Budget::WHOLE }));
    STOP.set(Some(meter.stop()));
    let result = work();
    let counted = LEFT.get().map_or(0, |budget| left.saturating_sub(budget.counted));
    drop(restored);
    // What was done is done; what follows on the same meter is refused if this was too much.
    let _ = meter.steps(counted);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejected_counts_use_up_the_budget() {
        assert_eq!(refuse(TooCostly::Steps, MAX_JUDGEMENT_STEPS), TooCostly::Steps);
        assert_eq!(used_up(), None, "outside of a judgement");
        within_one_budget(&Meter::default(), || {
            refuse(TooCostly::Steps, MAX_VALIDATION_STEPS);
            assert_eq!(used_up(), None);
            assert_eq!(pay(MAX_VALIDATION_STEPS / 2, Precision::Counted), Ok(()));
            refuse(TooCostly::Levels, MAX_VALIDATION_STEPS);
            assert_eq!(used_up(), Some(TooCostly::Levels));
        });
        assert_eq!(used_up(), None, "another judgement has its own budget");
    }

    #[test]
    fn a_stop_ends_the_validations_and_what_was_counted_is_charged() {
        let stop = Stop::default();
        let meter = Meter::new(accord_json::Limits::WHOLE, stop.clone());
        within_one_budget(&meter, || assert_eq!(pay(1_000, Precision::Counted), Ok(())));
        assert_eq!(meter.spent().steps, 1_000);
        within_one_budget(&meter, || {
            stop.set();
            assert_eq!(pay(1, Precision::Bound), Err(TooCostly::Stopped));
            assert_eq!(used_up(), Some(TooCostly::Stopped));
        });
        assert!(!is_stopped());
    }
}
