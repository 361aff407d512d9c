//! Sessions: one conversation with one agent, over many runs.

use jiff::Timestamp;

use crate::demands::Demands;
use crate::id::{RunId, SessionId};
use crate::named::named;
use crate::run::{Run, Status as RunStatus};

named! {
    /// Status of a session.
    #[schema(as = SessionStatus)]
    pub enum Status {
        /// The run is waiting for a runner.
        Pending,
        /// The run is in progress.
        Running,
        /// The run waits for child sessions.
        Waiting,
        /// The run waits for a person.
        InputRequired,
        /// The last run completed, and child sessions have yet to report back.
        Idle,
        /// The last run completed.
        Finished,
        /// A stop was requested.
        Stopping,
        /// The last run was stopped.
        Stopped,
        /// The last run failed.
        Failed,
    }
}

impl Status {
    /// The status of a session with a new run.
    pub fn of_new(run: &Run) -> Self {
        match run.status {
            RunStatus::InputRequired => Self::InputRequired,
            _ => Self::Pending,
        }
    }

    /// Whether a run of the session is under way.
    pub fn is_busy(self) -> bool {
        matches!(self, Self::Pending | Self::Running | Self::Waiting | Self::InputRequired | Self::Stopping)
    }
}

named! {
    /// How the caller of a run receives the result.
    #[derive(Default)]
    pub enum ExecutionMode {
        /// The caller waits.
        #[default]
        Sync,
        /// The caller polls.
        AsyncPoll,
        /// The coordinator resumes the parent with the result.
        AsyncCallback,
    }
}

/// One conversation with one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    pub id: SessionId,
    pub agent_name: String,
    pub status: Status,
    pub parent_session_id: Option<SessionId>,
    /// Project folder, if the caller set one.
    pub project_dir: Option<String>,
    /// What every later run must demand: where a CLI keeps its transcript.
    pub affinity: Demands,
    pub last_run_id: RunId,
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

impl Session {
    /// The session that this run begins.
    pub fn begun_by(run: &Run) -> Self {
        Self {
            id: run.session_id.clone(),
            agent_name: run.agent_name.clone(),
            status: Status::of_new(run),
            parent_session_id: None,
            project_dir: None,
            affinity: Demands::default(),
            last_run_id: run.id.clone(),
            created_at: run.created_at,
            updated_at: run.created_at,
        }
    }
}
