//! The interface of the store: one method per use case.
//!
//! Each method is exactly one transaction: it is written completely or not at all, even after a
//! crash, and is on disk when the method returns. No transaction spans several calls. Decisions are
//! not made here: an implementation loads a run, calls [`accord_domain::run::change`], and writes
//! the result.
//!
//! [`Store`] is the sum of small traits, one for each subject. A run goes through [`RunStore`]:
//! submitted, claimed, started, reported on, finished; [`RunReader`], [`SessionStore`] and
//! [`EventStore`] read; [`Upkeep`] finds lost runs; [`CallbackStore`] keeps pending callbacks.
//! [`Tally`] computes statistics for every implementation. Writes are announced as a [`Notice`], a
//! hint to read. Both implementations pass the same tests, in `accord-test-support`.
//!
//! There is deliberately no SQL and no clock here. Times are arguments, so that tests can control
//! them.

mod audit;
mod callbacks;
mod contracts;
mod definitions;
mod error;
mod events;
mod facts;
mod hours;
mod inputs;
mod keys;
mod page;
mod quarantine;
mod runners;
mod runs;
mod schemas;
mod search;
mod sessions;
mod stats;
mod tally;
mod upkeep;
mod workflows;

pub use audit::{AuditFilter, AuditStore};
pub use callbacks::{CallbackHold, CallbackStore, Due, WaitingRun};
pub use contracts::{ContractRecord, ContractStore, MOST_CONTRACTS};
pub use definitions::{Condition, Defined, DefinitionStore, DocumentRecord};
pub use error::StoreError;
pub use events::{EventFilter, EventLimit, EventStore, MOST_EVENT_BYTES, Notice, Notices};
pub use facts::{Fact, FactFilter, FactStore};
pub use hours::{ErrorTally, HourFigures, Kept, Span, hour_of, spans_of};
pub use inputs::{CloseInput, ClosedInput, InputFilter, InputStore};
pub use keys::KeyStore;
pub use page::{MOST_PAGE_BYTES, Page, PageRequest};
pub use quarantine::{Census, Death, Poisoned, PoisonedCount, QuarantineStore};
pub use runners::{Beat, Directive, HeldRun, RunnerStore};
pub use runs::{
    AskAgain, Claim, Claimed, Finish, Finished, Idempotency, Last, MOST_CLAIMED_BYTES, Report, RunFilter,
    RunReader, RunStore, SessionChoice, Submission, Submitted, Suspend, Wake, WholeRun,
};
pub use schemas::{SchemaRecord, SchemaStore};
pub use search::{Count, RunSummary, Search, SessionSummary, Summaries};
pub use sessions::{SessionFilter, SessionStore};
pub use stats::{ErrorCount, Figures, SourceCounts, StatRow, StatsQuery, StatsStore};
pub use tally::{CountedAttempt, EndedRun, MOST_COST_COUNTED, MOST_TOKENS_COUNTED, Tally};
pub use upkeep::{QueueDepth, Unmatched, Upkeep};
pub use workflows::{
    DueWorkflowRun, NewWorkflowRun, NodeRecord, TaskRun, WorkflowAdvance, WorkflowDocuments, WorkflowRequest,
    WorkflowRunFilter, WorkflowRunStore,
};

/// Everything that a coordinator needs of its store.
pub trait Store:
    RunStore
    + RunReader
    + SessionStore
    + EventStore
    + DefinitionStore
    + SchemaStore
    + ContractStore
    + KeyStore
    + AuditStore
    + RunnerStore
    + FactStore
    + InputStore
    + CallbackStore
    + StatsStore
    + Upkeep
    + WorkflowRunStore
    + QuarantineStore
{
    /// Whether several coordinators may share it. Otherwise one runs at a time, besides commands that look.
    fn is_shared(&self) -> bool;
}
