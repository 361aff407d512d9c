//! Creating a run: every error in a request is reported before anything is queued.

use std::sync::Arc;

use accord_api::{CreateRun, CreatedRun, ErrorName};
use accord_domain::agent::{Blueprint, Executor};
use accord_domain::contract::Origin;
use accord_domain::demands::Demands;
use accord_domain::id::{RunId, SessionId};
use accord_domain::run::{Kind, Opening};
use accord_domain::session::{ExecutionMode, Session};
use accord_store::StoreError;
use serde_json::{Map, Value};

use super::input::{self, Expected};
use super::order::{Order, RunSession};
use super::{Runs, caller_contract, caller_tools};
use crate::app::contracts::{Beside, InForce, Wanted};
use crate::app::promise::first_answer;
use crate::app::{Agent, Caller, Promise};
use crate::error::{Error, refuse};

/// Priorities are for people to order work; a thousand steps each way are plenty, and leave no room for accidents.
pub(crate) const HIGHEST_PRIORITY: i32 = 1_000;

/// Names, folders and models are shown in lists and matched exactly; longer ones are mistakes.
const LONGEST_NAME: usize = 4_096;

/// How the message begins that tells a parent of its children.
const CALLBACK: &str = "<agent-callback>";

fn invalid(message: impl Into<String>) -> Error {
    refuse(message)
}

/// A request for a run, with what the native API does not have.
#[derive(Debug, Default)]
pub(crate) struct Request {
    pub(crate) run: CreateRun,
    /// What happens to a schema that the agent's own does not imply.
    pub(crate) beside: Beside,
    /// The conversation before the prompt.
    pub(crate) opening: Opening,
}

impl From<CreateRun> for Request {
    fn from(run: CreateRun) -> Self {
        Self { run, ..Self::default() }
    }
}

enum Target {
    Start { agent_name: String },
    Resume { session_id: SessionId },
}

impl Runs {
    pub(crate) async fn create(
        &self,
        caller: &Caller,
        request: impl Into<Request>,
        promise: Option<Promise>,
    ) -> Result<CreatedRun, Error> {
        let mut request: Request = request.into();
        // First of all: what the request named may be gone since.
        if let Some(answer) = first_answer(self.store.as_ref(), promise.as_ref()).await? {
            return serde_json::from_str(&answer).map_err(Error::internal);
        }
        self.lineage.adopt(caller, &mut request.run).await?;
        check_bounds(&request.run)?;
        let parameters = parameters(&mut request.run)?;
        let target = target(&mut request.run)?;
        let mut order = match target {
            Target::Start { agent_name } => self.start(caller, &agent_name, request, parameters).await?,
            // Boxed, here and below, so that the rarer path does not grow every request.
            Target::Resume { session_id } => {
                Box::pin(self.resume(caller, &session_id, request, parameters)).await?
            }
        };
        order.requested_by = caller.requested_by.clone();
        order.traceparent = caller.trace();
        self.submit_with_undelivered(order, promise).await
    }

    async fn start(
        &self,
        caller: &Caller,
        agent_name: &str,
        request: Request,
        mut parameters: Value,
    ) -> Result<Order, Error> {
        let Request { run: mut request, beside, opening } = request;
        let agent = self.blueprints.catalog.usable(agent_name).await?;
        caller_contract::check(self.store.as_ref(), &agent, request.contract_hash.as_deref()).await?;
        check_model(&agent.blueprint, request.model.as_deref())?;
        let opening = input::open(&agent, opening, &mut parameters);
        input::check(&agent, Expected::AgentParameters, &parameters).await?;
        let files = self.files.of_request(caller, &agent, &request.files, &parameters, Vec::new()).await?;
        let wanted = Wanted { beside, ..Wanted::take(&mut request) };
        let contract = self.contracts.of_run(&agent, wanted).await?;
        let tools = caller_tools::take(&mut request);
        let tools = Box::pin(caller_tools::of_request(&self.contracts, &agent.blueprint, tools)).await?;
        let parent_session_id = request.parent_session_id.take();
        let execution_mode = execution_mode(&request, parent_session_id.is_some())?;
        if let Some(parent) = &parent_session_id {
            let parent = self.lineage.check_parent(parent).await?;
            Box::pin(self.check_callback(&parent, execution_mode)).await?;
        }
        Ok(Order {
            agent,
            session: RunSession::New { parent_session_id },
            parameters: parameters.to_string(),
            opening,
            contract,
            additional_demands: request.additional_demands.unwrap_or_default(),
            project_dir: request.project_dir,
            execution_mode,
            priority: request.priority.unwrap_or_default(),
            model: request.model,
            delivers: Vec::new(),
            requested_by: None,
            traceparent: None,
            tools,
            files,
        })
    }

    async fn resume(
        &self,
        caller: &Caller,
        session_id: &SessionId,
        request: Request,
        mut parameters: Value,
    ) -> Result<Order, Error> {
        let Request { run: mut request, beside, opening } = request;
        // Whether it is busy is for the store to say: a repeated request is answered as the first was.
        let session = self.store.session(session_id).await?;
        check_same_session(&request, &session)?;
        let agent = self.agent_of(&session).await?;
        caller_contract::check(self.store.as_ref(), &agent, request.contract_hash.as_deref()).await?;
        check_model(&agent.blueprint, request.model.as_deref())?;
        let opening = input::open(&agent, opening, &mut parameters);
        input::check(&agent, Expected::Prompt, &parameters).await?;
        let earlier = self.store.assignment(&session.last_run_id).await?.files;
        let files = self.files.of_request(caller, &agent, &request.files, &parameters, earlier).await?;
        let wanted = Wanted { beside, ..Wanted::take(&mut request) };
        let contract = self.contracts.of_run(&agent, wanted).await?;
        let tools = caller_tools::take(&mut request);
        let tools = Box::pin(caller_tools::of_request(&self.contracts, &agent.blueprint, tools)).await?;
        let execution_mode = execution_mode(&request, session.parent_session_id.is_some())?;
        if let Some(parent) = &session.parent_session_id {
            match self.store.session(parent).await {
                Err(StoreError::NoSession(_)) => {}
                found => Box::pin(self.check_callback(&found?, execution_mode)).await?,
            }
        }
        let project_dir = session.project_dir.clone();
        Ok(Order {
            agent,
            session: RunSession::Existing(Box::new(session)),
            parameters: parameters.to_string(),
            opening,
            contract,
            additional_demands: request.additional_demands.unwrap_or_default(),
            project_dir,
            execution_mode,
            priority: request.priority.unwrap_or_default(),
            model: request.model,
            delivers: Vec::new(),
            requested_by: None,
            traceparent: None,
            tools,
            files,
        })
    }

    /// The agent of a session, by its name. An agent defined in a workflow continues as in its last
    /// run, as long as the workflow has an agent of that name. If a standalone agent has the same
    /// name, the last run decides which one it was.
    async fn agent_of(&self, session: &Session) -> Result<Arc<Agent>, Error> {
        let name = &session.agent_name;
        let by_itself = self.blueprints.catalog.usable(name).await;
        let kept = self.store.assignment(&session.last_run_id).await?.blueprint;
        if by_itself.as_ref().is_ok_and(|agent| agent.document == kept) {
            return by_itself;
        }
        let in_workflows = self.in_workflows(name).await?;
        let is_missing = matches!(&by_itself, Err(error) if error.name() == ErrorName::AgentNotFound);
        if is_missing && in_workflows.is_empty() {
            return Err(removed(name));
        }
        if !is_missing && !self.has_document(in_workflows, &kept).await {
            return by_itself;
        }
        self.blueprints.catalog.inline(serde_json::from_str(&kept).map_err(Error::internal)?).await
    }

    /// The agents of this name that are defined in workflows, each with its workflow.
    async fn in_workflows(&self, name: &str) -> Result<Vec<(String, Value)>, Error> {
        let mut agents = self.blueprints.inline_agents().await?;
        agents.retain(|(_, agent)| agent.get("name").and_then(Value::as_str) == Some(name));
        Ok(agents)
    }

    /// Refuses an agent that was removed: nobody can start it any more, not by way of one of its old runs either. Runs that were
    /// started before, and wait, continue.
    pub(super) async fn check_exists(&self, name: &str) -> Result<(), Error> {
        match self.blueprints.catalog.found(name).await {
            Ok(_) => Ok(()),
            Err(error) if error.name() != ErrorName::AgentNotFound => Err(error),
            Err(_) if !self.in_workflows(name).await?.is_empty() => Ok(()),
            Err(_) => Err(removed(name)),
        }
    }

    /// Whether one of these agents, which are defined in workflows, has this document.
    async fn has_document(&self, agents: Vec<(String, Value)>, document: &str) -> bool {
        for (_, agent) in agents {
            if self.blueprints.catalog.inline(agent).await.is_ok_and(|agent| agent.document == document) {
                return true;
            }
        }
        false
    }

    /// Whether a parent can be called back. One whose agent is missing or broken may be fixed by then.
    pub(super) async fn check_callback(&self, parent: &Session, mode: ExecutionMode) -> Result<(), Error> {
        if mode != ExecutionMode::AsyncCallback {
            return Ok(());
        }
        if parent.status.is_busy() && self.store.is_task_run(&parent.last_run_id).await? {
            return Err(invalid(format!(
                "execution_mode async_callback: the parent {} belongs to a workflow, which continues when its current run finishes and would miss the callback; use sync or async_poll",
                parent.id
            )));
        }
        let agent = match self.agent_of(parent).await {
            Ok(agent) => agent,
            Err(error) if matches!(error.name(), ErrorName::Internal | ErrorName::StoreUnavailable) => {
                return Err(error);
            }
            Err(_) => return Ok(()),
        };
        input::check(&agent, Expected::Prompt, &prompt_alone(CALLBACK)).await.map_err(|_| {
            invalid(format!(
                "execution_mode async_callback: the parent {} cannot be called back: its agent '{}' is procedural, and its parameters_schema does not accept {{\"prompt\": …}}; use sync or async_poll",
                parent.id, parent.agent_name
            ))
        })
    }

    /// The contract that the caller of a run set, if any.
    pub(in crate::app) async fn callers_contract(
        &self,
        run_id: &RunId,
    ) -> Result<Option<Arc<InForce>>, Error> {
        let Some(contract) = self.store.assignment(run_id).await?.contract else { return Ok(None) };
        let in_force = self.contracts.stored(&contract).await?;
        let is_callers = in_force.terms.origin == Origin::Caller || in_force.terms.callers_schema.is_some();
        Ok(is_callers.then_some(in_force))
    }

    /// A run that resumes a session automatically, with the contract of its agent.
    pub(in crate::app) async fn continuation(
        &self,
        session: Session,
        prompt: &str,
        execution_mode: ExecutionMode,
        priority: i32,
    ) -> Result<Order, Error> {
        let agent = self.agent_of(&session).await?;
        let files = self.store.assignment(&session.last_run_id).await?.files;
        let parameters = prompt_alone(prompt);
        input::check(&agent, Expected::Prompt, &parameters).await?;
        let contract = self.contracts.of_run(&agent, Wanted::default()).await?;
        let project_dir = session.project_dir.clone();
        Ok(Order {
            agent,
            session: RunSession::Existing(Box::new(session)),
            parameters: parameters.to_string(),
            opening: None,
            contract,
            additional_demands: Demands::default(),
            project_dir,
            execution_mode,
            priority,
            model: None,
            delivers: Vec::new(),
            requested_by: None,
            traceparent: None,
            tools: None,
            files,
        })
    }
}

fn removed(name: &str) -> Error {
    let message = format!(
        "agent '{name}' no longer exists, neither on its own nor in a workflow; restore it, or start another one"
    );
    Error::new(ErrorName::AgentNotFound, message)
}

/// The parameters, with `prompt` as a short form. If both are missing, the parameters are empty and
/// validated by the input contract.
fn parameters(request: &mut CreateRun) -> Result<Value, Error> {
    match (request.parameters.take(), request.prompt.take()) {
        (Some(_), Some(_)) => {
            Err(invalid("prompt is short for parameters {\"prompt\": …}: send one of them, not both"))
        }
        (Some(parameters), None) => Ok(parameters),
        (None, Some(prompt)) => Ok(prompt_alone(&prompt)),
        (None, None) => Ok(Value::Object(Map::new())),
    }
}

fn prompt_alone(prompt: &str) -> Value {
    Value::Object(Map::from_iter([("prompt".to_owned(), Value::from(prompt))]))
}

fn target(request: &mut CreateRun) -> Result<Target, Error> {
    let resume = |session_id| Ok(Target::Resume { session_id });
    match (request.kind, request.session_id.take()) {
        (Some(Kind::StartSession), Some(session_id)) => Err(invalid(format!(
            "start_session creates a new session: omit session_id, or resume {session_id} with type resume_session"
        ))),
        (Some(Kind::ResumeSession), None) => Err(invalid("resume_session requires session_id")),
        (Some(Kind::ResumeSession) | None, Some(session_id)) => resume(session_id),
        (Some(Kind::StartSession) | None, None) => match request.agent_name.take() {
            Some(agent_name) => Ok(Target::Start { agent_name }),
            None => Err(invalid("agent_name is missing (or session_id, to resume a session)")),
        },
    }
}

/// A resume may repeat what its session is, and not change it.
fn check_same_session(request: &CreateRun, session: &Session) -> Result<(), Error> {
    let same = |field: &str, asked: Option<&str>, is: Option<&str>| match asked {
        Some(asked) if Some(asked) != is => {
            let is = is.map_or_else(|| "none".to_owned(), |is| format!("'{is}'"));
            let id = &session.id;
            Err(invalid(format!("{field} is '{asked}', but {id} has {is}; a resume cannot change it")))
        }
        _ => Ok(()),
    };
    same("agent_name", request.agent_name.as_deref(), Some(&session.agent_name))?;
    same("project_dir", request.project_dir.as_deref(), session.project_dir.as_deref())?;
    let parent = session.parent_session_id.as_ref().map(SessionId::as_str);
    same("parent_session_id", request.parent_session_id.as_ref().map(SessionId::as_str), parent)
}

fn execution_mode(request: &CreateRun, has_parent: bool) -> Result<ExecutionMode, Error> {
    let mode = request.execution_mode.unwrap_or_default();
    if mode == ExecutionMode::AsyncCallback && !has_parent {
        return Err(invalid("execution_mode async_callback requires parent_session_id"));
    }
    Ok(mode)
}

/// Checks the model that a caller asks for. Every request that names one goes through here.
pub(super) fn check_model(blueprint: &Blueprint, model: Option<&str>) -> Result<(), Error> {
    check_name("model", model)?;
    match (&blueprint.executor, model) {
        (Executor::Process(_) | Executor::Replay(_), Some(model)) => Err(invalid(format!(
            "model is '{model}', but agent '{}' has no model: its executor is {}",
            blueprint.name,
            blueprint.executor.kind()
        ))),
        _ => Ok(()),
    }
}

fn check_bounds(request: &CreateRun) -> Result<(), Error> {
    let priority = request.priority.unwrap_or_default();
    if !(-HIGHEST_PRIORITY..=HIGHEST_PRIORITY).contains(&priority) {
        return Err(invalid(format!(
            "expected priority from -{HIGHEST_PRIORITY} to {HIGHEST_PRIORITY}, got {priority}"
        )));
    }
    check_name("agent_name", request.agent_name.as_deref())?;
    check_name("project_dir", request.project_dir.as_deref())?;
    check_name("output_schema_name", request.output_schema_name.as_deref())
}

fn check_name(field: &str, name: Option<&str>) -> Result<(), Error> {
    match name {
        Some(name) if name.trim().is_empty() => {
            Err(invalid(format!("{field} is empty; omit it or set a value")))
        }
        Some(name) if name.len() > LONGEST_NAME => {
            Err(invalid(format!("{field} has {} bytes; the limit is {LONGEST_NAME}", name.len())))
        }
        _ => Ok(()),
    }
}
