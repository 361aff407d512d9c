//! A run that is checked and not written yet.

use std::sync::Arc;

use accord_api::CreatedRun;
use accord_domain::audit::RequestedBy;
use accord_domain::demands::Demands;
use accord_domain::file::FileRef;
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::{Assignment, Kind, Opening, Run};
use accord_domain::session::{ExecutionMode, Session};
use accord_store::{SessionChoice, Submission, Submitted};
use jiff::Timestamp;

use super::Runs;
use super::callback_message::callback_message;
use super::input::{self, Expected, merged, with_prompt};
use crate::app::contracts::InForce;
use crate::app::{Agent, Promise, labels, tiers};
use crate::error::{Error, refuse};

/// How many callbacks one message joins. The rest follows in the next.
pub(in crate::app) const CHILDREN_A_MESSAGE: u32 = 50;

/// The session that a run is for.
#[derive(Debug, Clone)]
pub(crate) enum RunSession {
    New { parent_session_id: Option<SessionId> },
    Existing(Box<Session>),
}

#[derive(Debug, Clone)]
pub(crate) struct Order {
    pub(crate) agent: Arc<Agent>,
    pub(crate) session: RunSession,
    pub(crate) parameters: String,
    /// The conversation before the prompt.
    pub(crate) opening: Option<Opening>,
    pub(crate) contract: Option<Arc<InForce>>,
    /// Requirements in addition to the agent's and the session's.
    pub(crate) additional_demands: Demands,
    pub(crate) project_dir: Option<String>,
    pub(crate) execution_mode: ExecutionMode,
    pub(crate) priority: i32,
    pub(crate) model: Option<String>,
    /// The children's runs whose end this run tells.
    pub(crate) delivers: Vec<RunId>,
    pub(crate) requested_by: Option<RequestedBy>,
    pub(crate) traceparent: Option<String>,
    /// The tools of the caller.
    pub(crate) tools: Option<String>,
    /// The files of the session so far, those of this run included.
    pub(crate) files: Vec<FileRef>,
}

impl Order {
    /// The merged runner requirements. Those of the agent are never relaxed.
    fn demands(&self) -> Result<Demands, Error> {
        let blueprint = &self.agent.blueprint;
        let executor =
            Demands { executor_type: Some(blueprint.executor.kind().to_owned()), ..Demands::default() };
        let folder = Demands { project_dir: self.project_dir.clone(), ..Demands::default() };
        labels::check_asked(&self.additional_demands, self.project_dir.as_deref())?;
        let none = Demands::default();
        let affinity = match &self.session {
            RunSession::New { .. } => &none,
            RunSession::Existing(session) => &session.affinity,
        };
        [&executor, affinity, &self.additional_demands, &folder]
            .into_iter()
            .try_fold(blueprint.demands.clone(), |sum, each| sum.and(each))
            .map_err(|clash| refuse(clash.to_string()))
    }
}

impl Runs {
    /// Writes a run that begins with the undelivered callbacks of its session.
    pub(super) async fn submit_with_undelivered(
        &self,
        order: Order,
        promise: Option<Promise>,
    ) -> Result<CreatedRun, Error> {
        if let RunSession::Existing(session) = &order.session {
            let session_id = session.id.clone();
            // Another run may deliver the same first. It is in progress then, so the second round ends one way or the other.
            for _ in 0..2 {
                let telling = Box::pin(self.with_undelivered(order.clone(), &session_id)).await?;
                if let Some(created) = Box::pin(self.submit(telling, promise.clone())).await? {
                    return Ok(created);
                }
            }
        }
        let created = self.submit(order, promise).await?;
        created.ok_or_else(|| Error::internal("a run that delivers nothing was delivered already"))
    }

    async fn with_undelivered(&self, order: Order, session_id: &SessionId) -> Result<Order, Error> {
        let undelivered = self.store.undelivered(session_id, CHILDREN_A_MESSAGE).await?;
        if undelivered.is_empty() {
            return Ok(order);
        }
        let run_ids: Vec<RunId> = undelivered.into_iter().map(|each| each.run_id).collect();
        let message = callback_message(self.store.as_ref(), &run_ids).await?;
        let parameters = with_prompt(&order.parameters, |prompt| format!("{message}\n{prompt}"))?;
        let told = serde_json::from_str(&parameters).map_err(Error::internal)?;
        // A procedural agent may accept this prompt and no longer one: the callbacks wait then.
        if input::check(&order.agent, Expected::Prompt, &told).await.is_err() {
            return Ok(order);
        }
        Ok(Order { parameters, delivers: run_ids, ..order })
    }

    /// Writes a run and wakes a claim that can take it. `None`: another run has delivered the callbacks of this one.
    pub(in crate::app) async fn submit(
        &self,
        order: Order,
        promise: Option<Promise>,
    ) -> Result<Option<CreatedRun>, Error> {
        let input = self.input(&order).await?;
        let mut submission = self.submission(order).await?;
        submission.assignment.input = input;
        let run = &submission.run;
        let created =
            CreatedRun { run_id: run.id.clone(), session_id: run.session_id.clone(), status: run.status };
        submission.idempotency = promise.map(|promise| promise.answered(&created)).transpose()?;
        let announcement = self.hub.announce();
        match self.store.submit_run(submission).await? {
            Submitted::Created(run) => {
                announcement.queued(&run.demands);
                Ok(Some(created))
            }
            Submitted::Replayed(answer) => serde_json::from_str(&answer).map(Some).map_err(Error::internal),
            Submitted::AlreadyDelivered => Ok(None),
        }
    }

    pub(in crate::app) async fn submission(&self, order: Order) -> Result<Submission, Error> {
        let mut run = self.pending_run(&order, self.outside.now())?;
        tiers::resolve(&order.agent.document, &self.settings.tiers)?;
        let assignment = Assignment {
            blueprint: order.agent.document.clone(),
            parameters: order.parameters,
            contract: order.contract.as_ref().map(|contract| contract.text.to_string()),
            model: order.model,
            project_dir: order.project_dir.clone(),
            retry_prompt: None,
            input: None,
            traceparent: order.traceparent,
            tools: order.tools,
            opening: order
                .opening
                .map(|opening| serde_json::to_string(&opening))
                .transpose()
                .map_err(Error::internal)?,
            files: order.files,
        };
        let asks = self.ask_if_task(&mut run, &assignment).await?.map(Box::new);
        let session = match order.session {
            RunSession::Existing(session) => SessionChoice::Resume(session.id),
            RunSession::New { parent_session_id } => {
                let project_dir = order.project_dir;
                let session = Session { parent_session_id, project_dir, ..Session::begun_by(&run) };
                SessionChoice::New(Box::new(session))
            }
        };
        let (delivers, steps) = (order.delivers, Vec::new());
        Ok(Submission { run, session, assignment, delivers, steps, asks, idempotency: None })
    }

    /// What invariants see as `input` on a resume: the parameters of the session's start, and the prompt of this run.
    async fn input(&self, order: &Order) -> Result<Option<String>, Error> {
        let (RunSession::Existing(session), Some(contract)) = (&order.session, &order.contract) else {
            return Ok(None);
        };
        if contract.answer.invariants().is_empty() {
            return Ok(None);
        }
        let opening = self.store.opening_parameters(&session.id).await?;
        merged(&opening, &order.parameters).map(Some)
    }

    fn pending_run(&self, order: &Order, now: Timestamp) -> Result<Run, Error> {
        let (kind, session_id) = match &order.session {
            RunSession::New { .. } => (Kind::StartSession, SessionId::new(self.outside.unique())),
            RunSession::Existing(session) => (Kind::ResumeSession, session.id.clone()),
        };
        let (id, agent_name) = (RunId::new(self.outside.unique()), order.agent.blueprint.name.clone());
        Ok(Run {
            execution_mode: order.execution_mode,
            demands: order.demands()?,
            priority: order.priority,
            requested_by: order.requested_by.clone(),
            ..Run::waiting(id, session_id, kind, agent_name, now)
        })
    }
}
