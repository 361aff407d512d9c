//! A run that is made from another one: run again from the start, or continued from one of its steps.

use accord_api::{CreatedRun, ErrorName, ForkRun, RetryRun, StepList};
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::{Assignment, Kind, Run};
use accord_domain::runner::OWN_TAG;
use accord_domain::session::{ExecutionMode, Session};
use accord_domain::step::Step;
use accord_domain::step::again::{Until, Way, carried, unreported};
use accord_store::{PageRequest, SessionChoice, SessionFilter, StoreError, Submission, Submitted, WholeRun};
use serde_json::Value;

use super::Runs;
use super::create::check_model;
use super::input::{self, Expected};
use crate::app::contracts::Wanted;
use crate::app::promise::first_answer;
use crate::app::{Caller, Promise, page};
use crate::error::{Error, refuse};

/// How many children of a run are read at once.
const CHILDREN_A_PAGE: u32 = 100;

/// A run that is to be done again.
struct Again {
    of: Run,
    kind: Kind,
    assignment: Assignment,
    steps: Vec<Step>,
    reports: Reports,
    promise: Option<Promise>,
}

/// Who is told how the new run ended.
#[derive(Clone, Copy)]
enum Reports {
    ToCaller,
    /// The parent session too, which continues then.
    ToParent,
}

impl Reports {
    fn asked(callback: bool) -> Self {
        if callback { Self::ToParent } else { Self::ToCaller }
    }
}

impl Runs {
    /// The steps of a run, in order.
    pub(crate) async fn steps(
        &self,
        run_id: &RunId,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<StepList, Error> {
        self.store.run(run_id).await?;
        let page = page::by_count(self.store.steps(run_id).await?, limit, cursor)?;
        Ok(StepList { items: page.items, next_cursor: page.next_cursor })
    }

    /// Makes a run like one that has finished, with other parameters or another model if the caller says so. One that started a
    /// session starts another; one that resumed a session resumes it again.
    pub(crate) async fn retry(
        &self,
        caller: &Caller,
        run_id: &RunId,
        changes: RetryRun,
        promise: Option<Promise>,
    ) -> Result<CreatedRun, Error> {
        if let Some(answer) = first_answer(self.store.as_ref(), promise.as_ref()).await? {
            return serde_json::from_str(&answer).map_err(Error::internal);
        }
        let WholeRun { run, mut assignment, .. } = self.store.whole_run(run_id).await?;
        if !run.status.is_over() {
            let message = format!("{run_id} is {}; only finished runs can be run again", run.status);
            return Err(Error::new(ErrorName::NotRetryable, message));
        }
        self.check_exists(&run.agent_name).await?;
        let agent = self.blueprints.catalog.inline(document(&assignment.blueprint)?).await?;
        if let Some(parameters) = changes.parameters {
            let expected = match run.kind {
                Kind::StartSession => Expected::AgentParameters,
                Kind::ResumeSession => Expected::Prompt,
            };
            input::check(&agent, expected, &parameters).await?;
            assignment.parameters = parameters.to_string();
            assignment.input = None;
        }
        if changes.model.is_some() {
            check_model(&agent.blueprint, changes.model.as_deref())?;
            assignment.model = changes.model;
        }
        let steps = carried(&self.store.steps(run_id).await?, Way::Retry, Until::End);
        let (kind, reports) = (run.kind, Reports::asked(changes.callback));
        self.submit_again(caller, Again { of: run, kind, assignment, steps, reports, promise }).await
    }

    /// Creates a run in a new session that continues after a step of another run.
    pub(crate) async fn fork(
        &self,
        caller: &Caller,
        run_id: &RunId,
        changes: ForkRun,
        promise: Option<Promise>,
    ) -> Result<CreatedRun, Error> {
        if let Some(answer) = first_answer(self.store.as_ref(), promise.as_ref()).await? {
            return serde_json::from_str(&answer).map_err(Error::internal);
        }
        let WholeRun { run, mut assignment, .. } = self.store.whole_run(run_id).await?;
        self.check_exists(&run.agent_name).await?;
        let steps = self.steps_until(&run, changes.from_step).await?;
        let mut blueprint = document(&assignment.blueprint)?;
        if let (Some(prompt), Value::Object(members)) = (changes.system_prompt, &mut blueprint) {
            members.insert("system_prompt".to_owned(), Value::String(prompt));
        }
        let agent = self.blueprints.catalog.inline(blueprint).await?;
        if changes.model.is_some() {
            check_model(&agent.blueprint, changes.model.as_deref())?;
            assignment.model = changes.model;
        }
        if changes.output_schema.is_some() {
            let wanted = Wanted { schema: changes.output_schema, ..Wanted::default() };
            let contract = self.contracts.of_run(&agent, wanted).await?;
            assignment.contract = contract.map(|contract| contract.text.to_string());
        }
        assignment.blueprint.clone_from(&agent.document);
        let (kind, reports) = (Kind::StartSession, Reports::asked(changes.callback));
        self.submit_again(caller, Again { of: run, kind, assignment, steps, reports, promise }).await
    }

    /// The steps that a fork starts with.
    async fn steps_until(&self, run: &Run, from_step: u32) -> Result<Vec<Step>, Error> {
        let steps = self.store.steps(&run.id).await?;
        let Some(last) = steps.iter().position(|step| step.number == from_step) else {
            let message = format!("{} has no step {from_step}; it has {}", run.id, steps.len());
            return Err(Error::new(ErrorName::StepNotFound, message));
        };
        let until = match last + 1 == steps.len() && run.status.is_over() {
            true => Until::End,
            false => Until::Step,
        };
        let kept = steps.get(..=last).unwrap_or(&steps);
        self.check_children(run, kept).await?;
        Ok(carried(kept, Way::Fork, until))
    }

    /// Refuses to fork where children of the run were started and have not reported back: they report to the run, and a fork
    /// would wait for nobody.
    async fn check_children(&self, run: &Run, kept: &[Step]) -> Result<(), Error> {
        let parent_session_id = Some(run.session_id.clone());
        let filter = SessionFilter { parent_session_id, ..SessionFilter::default() };
        let mut children = Vec::new();
        let mut request = PageRequest { limit: CHILDREN_A_PAGE, cursor: None };
        loop {
            let page = self.store.sessions(&filter, &request).await?;
            for child in page.items {
                let last_run = match self.store.run(&child.last_run_id).await {
                    Err(StoreError::NoRun(_)) => continue,
                    found => found?,
                };
                // One from an earlier run of the session may have been resumed by this one.
                let times = [child.created_at, last_run.created_at];
                let started = times.into_iter().find(|time| *time >= run.created_at);
                if last_run.execution_mode == ExecutionMode::AsyncCallback {
                    children.extend(started.map(|time| (child.id, time)));
                }
            }
            request.cursor = page.next;
            if request.cursor.is_none() {
                break;
            }
        }
        let Some((child, step)) = unreported(kept, &children).into_iter().min_by_key(|(_, step)| *step)
        else {
            return Ok(());
        };
        let message = format!(
            "{child} had been started by step {step} and reports back to {}, not to a fork; fork from a step before {step}, so that the fork starts its own, or from one after its report",
            run.id
        );
        Err(Error::new(ErrorName::NotRetryable, message))
    }

    async fn submit_again(&self, caller: &Caller, again: Again) -> Result<CreatedRun, Error> {
        let Again { of, kind, assignment, steps, reports, promise } = again;
        let session = self.store.session(&of.session_id).await?;
        let execution_mode = self.mode_again(&of, &session, reports).await?;
        let requested_by = caller.requested_by.clone();
        let mut run = Run { requested_by, execution_mode, ..self.again(of, kind) };
        let asks = self.ask_if_task(&mut run, &assignment).await?.map(Box::new);
        let choice = match kind {
            Kind::StartSession => SessionChoice::New(Box::new(Session {
                parent_session_id: session.parent_session_id,
                project_dir: session.project_dir,
                ..Session::begun_by(&run)
            })),
            Kind::ResumeSession => SessionChoice::Resume(session.id),
        };
        let created =
            CreatedRun { run_id: run.id.clone(), session_id: run.session_id.clone(), status: run.status };
        self.files.extend(&assignment.files).await?;
        let (announcement, demands) = (self.hub.announce(), run.demands.clone());
        let assignment = Assignment { retry_prompt: None, traceparent: caller.trace(), ..assignment };
        let idempotency = promise.map(|promise| promise.answered(&created)).transpose()?;
        let delivers = Vec::new();
        let steps = steps.into_iter().map(|step| step.body).collect();
        let submission = Submission { run, session: choice, assignment, delivers, steps, asks, idempotency };
        match self.store.submit_run(submission).await? {
            Submitted::Replayed(answer) => serde_json::from_str(&answer).map_err(Error::internal),
            Submitted::Created(_) | Submitted::AlreadyDelivered => {
                announcement.queued(&demands);
                Ok(created)
            }
        }
    }

    /// How the new run reports: its parent has heard of the old one, and is told of this one only if the caller wants that.
    async fn mode_again(
        &self,
        of: &Run,
        session: &Session,
        reports: Reports,
    ) -> Result<ExecutionMode, Error> {
        match (reports, &session.parent_session_id) {
            (Reports::ToCaller, _) if of.execution_mode == ExecutionMode::AsyncCallback => {
                Ok(ExecutionMode::AsyncPoll)
            }
            (Reports::ToCaller, _) => Ok(of.execution_mode),
            (Reports::ToParent, None) => Err(refuse(format!("callback: {} has no parent session", of.id))),
            (Reports::ToParent, Some(parent)) => {
                let parent = self.lineage.check_parent(parent).await?;
                self.check_callback(&parent, ExecutionMode::AsyncCallback).await?;
                Ok(ExecutionMode::AsyncCallback)
            }
        }
    }

    fn again(&self, of: Run, kind: Kind) -> Run {
        let session_id = match kind {
            Kind::StartSession => SessionId::new(self.outside.unique()),
            Kind::ResumeSession => of.session_id,
        };
        let mut demands = of.demands;
        // The runner of a command is gone with the command. Where another command asks, its own runner does the work.
        demands.tags.retain(|tag| !tag.starts_with(OWN_TAG));
        demands.tags.extend(self.instance.runner_tag().cloned());
        let (id, now) = (RunId::new(self.outside.unique()), self.outside.now());
        Run { demands, priority: of.priority, ..Run::waiting(id, session_id, kind, of.agent_name, now) }
    }
}

fn document(blueprint: &str) -> Result<Value, Error> {
    accord_json::read_kept(blueprint).map_err(Error::internal)
}
