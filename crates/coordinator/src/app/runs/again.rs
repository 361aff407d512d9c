//! A run that is made from another one: run again from the start, or continued from one of its steps.

use accord_api::{CreatedRun, ErrorName, ForkRun, RetryRun, StepList};
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::{Assignment, Kind, Run};
use accord_domain::runner::OWN_TAG;
use accord_domain::session::Session;
use accord_domain::step::{self, Body};
use accord_store::{SessionChoice, Submission, WholeRun};
use serde_json::Value;

use super::Runs;
use super::create::check_model;
use super::input::{self, Expected};
use crate::app::contracts::Wanted;
use crate::app::{Caller, page};
use crate::error::Error;

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
    ) -> Result<CreatedRun, Error> {
        let WholeRun { run, mut assignment, .. } = self.store.whole_run(run_id).await?;
        if !run.status.is_over() {
            let message = format!("{run_id} is {}; only finished runs can be run again", run.status);
            return Err(Error::new(ErrorName::NotRetryable, message));
        }
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
        let session = self.store.session(&run.session_id).await?;
        let kind = run.kind;
        self.submit_again(caller, run, session, kind, assignment, Vec::new()).await
    }

    /// Creates a run in a new session that continues after a step of another run.
    pub(crate) async fn fork(
        &self,
        caller: &Caller,
        run_id: &RunId,
        changes: ForkRun,
    ) -> Result<CreatedRun, Error> {
        let WholeRun { run, mut assignment, .. } = self.store.whole_run(run_id).await?;
        let steps = self.steps_until(run_id, changes.from_step).await?;
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
        let session = self.store.session(&run.session_id).await?;
        self.submit_again(caller, run, session, Kind::StartSession, assignment, steps).await
    }

    /// The steps that a fork starts with. A conversation that a program keeps stays with its run,
    /// so the fork gets the text of the conversation instead.
    async fn steps_until(&self, run_id: &RunId, from_step: u32) -> Result<Vec<Body>, Error> {
        let steps = self.store.steps(run_id).await?;
        let count = steps.len();
        let known = steps.iter().position(|step| step.number == from_step);
        let Some(last) = known else {
            let message = format!("{run_id} has no step {from_step}; it has {count}");
            return Err(Error::new(ErrorName::StepNotFound, message));
        };
        let steps = steps.get(..=last).unwrap_or(&steps);
        let forked = |body: Body| match body {
            Body::Conversation { conversation, .. } => {
                Body::Conversation { conversation, host: String::new() }
            }
            other => other,
        };
        Ok(step::current(steps).iter().map(|step| forked(step.body.clone())).collect())
    }

    async fn submit_again(
        &self,
        caller: &Caller,
        of: Run,
        session: Session,
        kind: Kind,
        assignment: Assignment,
        steps: Vec<Body>,
    ) -> Result<CreatedRun, Error> {
        let mut run = Run { requested_by: caller.requested_by.clone(), ..self.again(of, kind) };
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
        let (announcement, demands) = (self.hub.announce(), run.demands.clone());
        let assignment = Assignment { retry_prompt: None, traceparent: caller.trace(), ..assignment };
        let (delivers, idempotency) = (Vec::new(), None);
        let submission = Submission { run, session: choice, assignment, delivers, steps, asks, idempotency };
        self.store.submit_run(submission).await?;
        announcement.queued(&demands);
        Ok(created)
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
        Run {
            execution_mode: of.execution_mode,
            demands,
            priority: of.priority,
            ..Run::waiting(id, session_id, kind, of.agent_name, now)
        }
    }
}

fn document(blueprint: &str) -> Result<Value, Error> {
    accord_json::read_kept(blueprint).map_err(Error::internal)
}
