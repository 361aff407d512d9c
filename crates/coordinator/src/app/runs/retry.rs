//! A run that failed or was stopped is run again, as it was: agent, input and contract are those of the first time.

use accord_api::{CreatedRun, ErrorName};
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::{Assignment, Kind, Run, Status};
use accord_domain::runner::OWN_TAG;
use accord_domain::session::Session;
use accord_store::{SessionChoice, Submission, WholeRun};

use super::Runs;
use crate::app::Caller;
use crate::error::Error;

impl Runs {
    /// Makes a run like one that failed or was stopped. One that started a session starts another; one that resumed a session
    /// resumes it again.
    pub(crate) async fn retry(&self, caller: &Caller, run_id: &RunId) -> Result<CreatedRun, Error> {
        let WholeRun { run: failed, assignment, .. } = self.store.whole_run(run_id).await?;
        if !matches!(failed.status, Status::Failed | Status::Stopped) {
            let message =
                format!("{run_id} is {}; only failed or stopped runs can be retried", failed.status);
            return Err(Error::new(ErrorName::NotRetryable, message));
        }
        let session = self.store.session(&failed.session_id).await?;
        let run = Run { requested_by: caller.requested_by.clone(), ..self.again(failed) };
        let choice = match run.kind {
            Kind::StartSession => SessionChoice::New(Box::new(Session {
                parent_session_id: session.parent_session_id,
                project_dir: session.project_dir,
                ..Session::begun_by(&run)
            })),
            Kind::ResumeSession => SessionChoice::Resume(session.id),
        };
        let created = CreatedRun {
            run_id: run.id.clone(),
            session_id: run.session_id.clone(),
            status: Status::Pending,
        };
        let (announcement, demands) = (self.hub.announce(), run.demands.clone());
        let assignment = Assignment { retry_prompt: None, ..assignment };
        let submission =
            Submission { run, session: choice, assignment, delivers: Vec::new(), idempotency: None };
        self.store.submit_run(submission).await?;
        announcement.queued(&demands);
        Ok(created)
    }

    fn again(&self, failed: Run) -> Run {
        let session_id = match failed.kind {
            Kind::StartSession => SessionId::new(self.outside.unique()),
            Kind::ResumeSession => failed.session_id,
        };
        let mut demands = failed.demands;
        // The runner of a command is gone with the command.
        demands.tags.retain(|tag| !tag.starts_with(OWN_TAG));
        let (id, now) = (RunId::new(self.outside.unique()), self.outside.now());
        Run {
            execution_mode: failed.execution_mode,
            demands,
            priority: failed.priority,
            ..Run::waiting(id, session_id, failed.kind, failed.agent_name, now)
        }
    }
}
