//! What all validations of one judgement may cost together.

use std::cell::Cell;

use crate::limits::{MAX_JUDGEMENT_STEPS, MAX_VALIDATION_LEVELS, MAX_VALIDATION_STEPS};

/// Why a value is not validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TooCostly {
    Steps,
    Levels,
    Judgement,
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
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Precision {
    Bound,
    Counted,
}

pub(super) fn pay(steps: u64, precision: Precision) -> Result<(), TooCostly> {
    let Some(budget) = LEFT.get() else { return Ok(()) };
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

/// Runs work whose validations share one budget. Nested calls share the budget of the outer one.
pub(crate) fn within_one_budget<T>(work: impl FnOnce() -> T) -> T {
    struct Restored(Option<Budget>);
    impl Drop for Restored {
        fn drop(&mut self) {
            LEFT.set(self.0);
        }
    }
    let before = LEFT.get();
    let _restored = Restored(before);
    LEFT.set(before.or(Some(Budget::WHOLE)));
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejected_counts_use_up_the_budget() {
        assert_eq!(refuse(TooCostly::Steps, MAX_JUDGEMENT_STEPS), TooCostly::Steps);
        assert_eq!(used_up(), None, "outside of a judgement");
        within_one_budget(|| {
            refuse(TooCostly::Steps, MAX_VALIDATION_STEPS);
            assert_eq!(used_up(), None);
            assert_eq!(pay(MAX_VALIDATION_STEPS / 2, Precision::Counted), Ok(()));
            refuse(TooCostly::Levels, MAX_VALIDATION_STEPS);
            assert_eq!(used_up(), Some(TooCostly::Levels));
        });
        assert_eq!(used_up(), None, "another judgement has its own budget");
    }
}
