//! The runs and workflow runs that were set aside because coordinators crashed on them.

use accord_api::QuarantineView;

use super::WorkflowRuns;
use super::runs::summary_of;
use crate::app::runs::view_of;
use crate::error::Error;

/// How many runs, and workflow runs, are listed.
const MOST_LISTED: u32 = 100;

impl WorkflowRuns {
    pub(crate) async fn quarantined(&self) -> Result<QuarantineView, Error> {
        let poisoned = self.store.poisoned(MOST_LISTED).await?;
        let mut runs = Vec::with_capacity(poisoned.runs.len());
        for run in poisoned.runs {
            runs.push(view_of(self.store.as_ref(), run).await?);
        }
        let mut workflow_runs = Vec::with_capacity(poisoned.workflow_runs.len());
        for run in poisoned.workflow_runs {
            workflow_runs.push(summary_of(self.store.as_ref(), run).await?);
        }
        Ok(QuarantineView { runs, workflow_runs })
    }
}
