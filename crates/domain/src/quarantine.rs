//! Work that ends the coordinator that does it.
//!
//! A coordinator marks such work in the store before it begins and clears the mark when it is done. A mark whose coordinator
//! is gone counts as a death. Work that dies [`MOST_DEATHS`] times in a row, without getting anywhere in between, is poisoned:
//! it fails, and is not started again until a retry is requested.

use crate::named::named;

/// How often a coordinator may die while it does one piece of work. One death can be anybody's fault, the power's for
/// example; two can be a coincidence where coordinators are restarted often.
pub const MOST_DEATHS: u32 = 3;

named! {
    /// What kind of work can end a coordinator.
    pub enum Kind {
        /// One step of a workflow run; the id is that of the workflow run.
        WorkflowStep,
        /// Telling a parent of its children's ends; the id is that of the parent's session.
        Callback,
        /// Judging the result of a run; the id is that of the run.
        Finish,
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Item {
    pub kind: Kind,
    /// The id of the object that it is done on.
    pub id: String,
}

impl Item {
    /// The work of this kind on this id.
    pub fn new(kind: Kind, id: impl ToString) -> Self {
        Self { kind, id: id.to_string() }
    }
}

/// What becomes of work after a death.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Retry,
    /// It is not begun again by itself.
    Poisoned,
}

/// What becomes of work that has died so often.
pub fn fate(deaths: u32) -> Fate {
    if deaths < MOST_DEATHS { Fate::Retry } else { Fate::Poisoned }
}

/// The message for poisoned work.
pub fn message(item: &Item) -> String {
    let (work, retry) = match item.kind {
        Kind::WorkflowStep => {
            ("a step of this workflow run", format!("continue it with accord workflows retry {}", item.id))
        }
        Kind::Callback => {
            ("resuming this session with its children's results", format!("resume {} to continue", item.id))
        }
        Kind::Finish => {
            ("validating the result of this run", format!("run it again with accord runs retry {}", item.id))
        }
    };
    let during = match item.kind {
        Kind::WorkflowStep => "during",
        Kind::Callback | Kind::Finish => "while",
    };
    format!(
        "the coordinator crashed {MOST_DEATHS} times {during} {work}; it will not be retried automatically. See the coordinator's log for the cause, fix it, and {retry}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_crash_poisons() {
        assert_eq!([0, 1, 2, 3, 4].map(fate), {
            use Fate::{Poisoned, Retry};
            [Retry, Retry, Retry, Poisoned, Poisoned]
        });
    }

    #[test]
    fn the_message_says_how_to_retry() {
        let text = |kind, id: &str| message(&Item::new(kind, id));
        assert_eq!(
            text(Kind::WorkflowStep, "wfr_1"),
            "the coordinator crashed 3 times during a step of this workflow run; it will not be retried automatically. See the coordinator's log for the cause, fix it, and continue it with accord workflows retry wfr_1"
        );
        assert!(text(Kind::Finish, "run_1").ends_with("and run it again with accord runs retry run_1"));
        assert!(text(Kind::Callback, "ses_1").ends_with("and resume ses_1 to continue"));
    }
}
