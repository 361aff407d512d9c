//! Colours by meaning, the same in tables and in sentences.

use accord_api::attempt::Outcome;
use accord_api::{NodeStatus, RunStatus, SessionStatus, Severity, WorkflowStatus};
use comfy_table::{Cell, Color};
use owo_colors::OwoColorize as _;

/// The state of something, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// It is well.
    Good,
    /// In progress.
    Busy,
    /// Needs attention.
    Warning,
    /// It is broken.
    Bad,
    /// No meaning.
    Plain,
}

impl Tone {
    /// The text in its colour.
    pub(crate) fn paint(self, text: &str) -> String {
        match self {
            Self::Good => text.green().bold().to_string(),
            Self::Busy => text.cyan().bold().to_string(),
            Self::Warning => text.yellow().bold().to_string(),
            Self::Bad => text.red().bold().to_string(),
            Self::Plain => text.to_owned(),
        }
    }

    /// The text as a cell of a table.
    pub(crate) fn cell(self, text: &str) -> Cell {
        let cell = Cell::new(text);
        match self {
            Self::Good => cell.fg(Color::Green),
            Self::Busy => cell.fg(Color::Cyan),
            Self::Warning => cell.fg(Color::Yellow),
            Self::Bad => cell.fg(Color::Red),
            Self::Plain => cell,
        }
    }
}

impl From<RunStatus> for Tone {
    fn from(status: RunStatus) -> Self {
        match status {
            RunStatus::Completed => Self::Good,
            RunStatus::Claimed | RunStatus::Running | RunStatus::Waiting => Self::Busy,
            RunStatus::Pending | RunStatus::InputRequired | RunStatus::Stopping | RunStatus::Stopped => {
                Self::Warning
            }
            RunStatus::Failed => Self::Bad,
        }
    }
}

impl From<SessionStatus> for Tone {
    fn from(status: SessionStatus) -> Self {
        match status {
            SessionStatus::Finished => Self::Good,
            SessionStatus::Running | SessionStatus::Waiting | SessionStatus::Idle => Self::Busy,
            SessionStatus::Pending
            | SessionStatus::InputRequired
            | SessionStatus::Stopping
            | SessionStatus::Stopped => Self::Warning,
            SessionStatus::Failed => Self::Bad,
        }
    }
}

impl From<WorkflowStatus> for Tone {
    fn from(status: WorkflowStatus) -> Self {
        match status {
            WorkflowStatus::Completed => Self::Good,
            WorkflowStatus::Running => Self::Busy,
            WorkflowStatus::Stopping | WorkflowStatus::Stopped => Self::Warning,
            WorkflowStatus::Failed => Self::Bad,
        }
    }
}

impl From<NodeStatus> for Tone {
    fn from(status: NodeStatus) -> Self {
        match status {
            NodeStatus::Completed => Self::Good,
            NodeStatus::Running => Self::Busy,
            NodeStatus::Stopped => Self::Warning,
            NodeStatus::Failed => Self::Bad,
            NodeStatus::Waiting | NodeStatus::Skipped => Self::Plain,
        }
    }
}

impl From<Outcome> for Tone {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Accepted => Self::Good,
            Outcome::Waiting => Self::Busy,
            Outcome::Stopped | Outcome::SchemaRejected | Outcome::Transport => Self::Warning,
            _ => Self::Bad,
        }
    }
}

impl From<Severity> for Tone {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => Self::Bad,
            Severity::Warning => Self::Warning,
        }
    }
}
