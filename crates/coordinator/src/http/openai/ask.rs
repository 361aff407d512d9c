//! A request as a run: started, and waited for.

use std::collections::BTreeMap;
use std::sync::Arc;

use accord_api::{CallerTools, CreateRun, CreateWorkflowRun, Opening, RunStatus, RunView, Usage};
use accord_domain::id::WorkId;
use accord_domain::id::{FileId, RunId};
use axum::Extension;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use serde_json::{Value, json};

use super::contract::{Schema, Wanted};
use super::fields::invalid;
use super::files;
use super::input::{self, Turn};
use super::tools::CallResult;
use super::waiting::{self, Waiting};
use super::work::{Call, Work};
use super::{branch, conversation};
use crate::app::{
    Agent, App, Beside, Caller, Incoming, LONGEST_WAIT_SECONDS, Model, Promise, RunRequest, accepts_output,
};
use crate::error::Error;
use crate::http::incoming::Received;
use crate::http::{auth, conditions};
use crate::outstanding::Holder;

/// What the two kinds of requests have in common.
pub(super) struct Ask {
    /// The agent or workflow; not needed to continue a session.
    pub(super) model: Option<String>,
    pub(super) previous: Option<WorkId>,
    pub(super) turns: Vec<Turn>,
    pub(super) files: Vec<files::Part>,
    pub(super) wanted: Wanted,
    /// Results of calls that the caller was asked to make.
    pub(super) results: Vec<CallResult>,
    pub(super) metadata: BTreeMap<String, String>,
    /// Whether the caller does not wait, so that the work goes on without it.
    pub(super) is_background: bool,
}

/// OpenAI's own limits of metadata.
const MOST_METADATA: usize = 16;
const LONGEST_METADATA_KEY: usize = 64;
const LONGEST_METADATA_VALUE: usize = 512;

/// Who asks, and of whom.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) app: Arc<App>,
    pub(super) holder: Holder,
    pub(super) caller: Caller,
    headers: HeaderMap,
}

impl FromRequestParts<Arc<App>> for Client {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, Error> {
        let absent = |_| Error::internal("the request has no caller");
        let Extension(caller) = Extension::from_request_parts(parts, app).await.map_err(absent)?;
        let Extension(holder) = Extension::from_request_parts(parts, app).await.map_err(absent)?;
        Ok(Self { app: Arc::clone(app), holder, caller, headers: parts.headers.clone() })
    }
}

impl Client {
    /// Starts the run of a request, or finds the one that it repeats or continues. The caller waits from then on.
    pub(super) async fn start(
        &self,
        route: &str,
        body: &Received,
        ask: Ask,
    ) -> Result<(WorkId, Waiting), Error> {
        let promise = conditions::identity(&self.headers, &self.caller, route, body).await?;
        check_metadata(&ask.metadata)?;
        let work = Box::pin(self.continued(&ask)).await?.map(WorkId::Run);
        let incoming = Incoming {
            promise,
            is_repeat: waiting::is_repeat(&self.headers),
            is_reason: !ask.is_background,
            work: work.clone(),
        };
        let waiting = Box::pin(Waiting::begin(&self.app, incoming)).await?;
        if let Some(work) = work {
            return Ok((work, waiting));
        }
        match self.create(ask, waiting.promise()).await {
            Ok(work) => Ok((work, waiting)),
            Err(error) => {
                waiting.answered().await;
                Err(error)
            }
        }
    }

    async fn create(&self, ask: Ask, promise: Promise) -> Result<WorkId, Error> {
        let promise = Some(promise);
        let mut caller = self.caller.clone();
        if !ask.metadata.is_empty() {
            caller.requested_by.get_or_insert_default().metadata = ask.metadata.clone();
        }
        let mut request = match (&ask.previous, &ask.model) {
            (Some(WorkId::Run(previous)), _) => self.resumed(previous, &ask).await?,
            (Some(WorkId::Workflow(previous)), _) => {
                let message = format!(
                    "previous_response_id is {previous}, the run of a workflow, which has no session to continue; omit it, and send everything as input"
                );
                return Err(invalid("previous_response_id", message));
            }
            (None, None) => {
                let message = "model is missing: send the name of an agent or of a workflow";
                return Err(invalid("model", message));
            }
            (None, Some(id)) => match self.app.blueprints.model(id).await? {
                Model::Agent(agent) => started(&agent, &ask).await?,
                Model::Workflow { name, input, .. } => {
                    return self.run_workflow(&caller, &name, input.as_ref(), &ask, promise).await;
                }
            },
        };
        let contract_hash = conditions::contract(&self.headers)?;
        let mut run = CreateRun { contract_hash, ..request.run };
        let CallerTools { tools, choice, asked } = ask.caller_tools();
        if !tools.is_empty() {
            (run.tools, run.tool_choice, run.tools_asked) = (tools, Some(choice), asked);
        }
        run.files = self.keep(ask.files).await?;
        let request = RunRequest { run, beside: Beside::Enforced, ..request };
        Ok(WorkId::Run(self.app.runs.create(&caller, request, promise).await?.run_id))
    }

    /// The files of a request, kept for its run.
    async fn keep(&self, parts: Vec<files::Part>) -> Result<Vec<FileId>, Error> {
        let mut ids = Vec::with_capacity(parts.len());
        for part in parts {
            ids.push(match part {
                files::Part::Uploaded(id) => id,
                files::Part::Content(upload) => self.app.files.keep(&self.caller, upload).await?.id,
            });
        }
        Ok(ids)
    }

    async fn run_workflow(
        &self,
        caller: &Caller,
        name: &str,
        schema: Option<&Value>,
        ask: &Ask,
        promise: Option<Promise>,
    ) -> Result<WorkId, Error> {
        if !ask.wanted.tools.is_empty() {
            let message = format!("tools: workflow '{name}' cannot call functions of its caller; omit tools");
            return Err(invalid("tools", message));
        }
        if let Some(sent) = output_schema(&ask.wanted.schema, false) {
            let output = self.app.blueprints.workflow_output(name).await?;
            accepts_output(name, output, sent).await?;
        }
        if !ask.files.is_empty() {
            let message = format!("workflow '{name}' takes no files; send them to an agent");
            return Err(invalid("messages", message));
        }
        let input = Some(input::of_workflow(name, schema, &ask.turns).await?);
        let request = CreateWorkflowRun { input, ..CreateWorkflowRun::default() };
        let created = self.app.workflow_runs.create(caller, name, request, promise).await?;
        Ok(WorkId::Workflow(created.workflow_run_id))
    }

    /// A new session of the same agent, which begins with the conversation until an earlier response.
    async fn branched(&self, last: &RunView, ask: &Ask) -> Result<RunRequest, Error> {
        let agent = match self.app.blueprints.model(&last.agent_name).await? {
            Model::Agent(agent) if ask.model.as_ref().is_none_or(|model| *model == last.agent_name) => agent,
            _ => {
                let message = format!(
                    "model: expected '{}', the agent of previous_response_id; omit model, or send everything as input",
                    last.agent_name
                );
                return Err(invalid("model", message));
            }
        };
        let mut messages = branch::until(self, last).await?;
        let request = started(&agent, ask).await?;
        messages.extend(request.opening.messages);
        Ok(RunRequest { opening: Opening { messages, ..request.opening }, ..request })
    }

    /// A session continues where it is; a response before that one begins a branch.
    async fn resumed(&self, previous: &RunId, ask: &Ask) -> Result<RunRequest, Error> {
        if let Some(acting) = &self.caller.run {
            self.app.lineage.find_run(acting, previous).await?;
        }
        let before = self.run(previous).await?;
        let session = self.app.sessions.get(&before.session_id).await?;
        if session.last_run_id != *previous {
            return self.branched(&before, ask).await;
        }
        // Where the agent has a contract of its own, the run says so; a caller's was for that answer alone.
        let has_own = before.contract_origin.is_some_and(|origin| origin != accord_api::Origin::Caller);
        let (opening, prompt) = conversation::split(&ask.turns)?;
        let run = CreateRun {
            agent_name: ask.model.clone(),
            session_id: Some(session.session_id),
            prompt: Some(prompt),
            output_schema: output_schema(&ask.wanted.schema, has_own),
            ..CreateRun::default()
        };
        Ok(RunRequest { run, opening, ..RunRequest::default() })
    }

    /// A run of an agent as it is now.
    pub(super) async fn run(&self, run_id: &RunId) -> Result<RunView, Error> {
        self.app.runs.wait(&self.holder, run_id, 0).await
    }

    /// A run of either kind as it is now.
    pub(super) async fn now(&self, id: &WorkId) -> Result<Work, Error> {
        self.after(id, 0).await
    }

    /// A run of either kind at its end, or after this time.
    async fn after(&self, id: &WorkId, seconds: u32) -> Result<Work, Error> {
        match id {
            WorkId::Run(id) => {
                let run = self.app.runs.wait_for_caller(&self.holder, id, seconds).await?;
                self.work_of(&run).await
            }
            // Boxed, so that requests for agents keep a small future.
            WorkId::Workflow(id) => {
                let run = Box::pin(self.app.workflow_runs.wait(&self.holder, id, seconds)).await?;
                let usage = match run.status.is_over() {
                    true => Box::pin(self.app.workflow_runs.usage(&run)).await?,
                    false => Usage::default(),
                };
                Ok(Work::of_workflow_run(&run, usage))
            }
        }
    }

    /// A run of an agent, with the calls that its caller has to make.
    pub(super) async fn work_of(&self, run: &RunView) -> Result<Work, Error> {
        let mut work = Work::of_run(run);
        if work.status == RunStatus::InputRequired {
            let open = self.app.runs.open_calls(&run.run_id).await?;
            work.calls = open.into_iter().filter_map(Call::of).collect();
        }
        Ok(work)
    }

    /// A run at its end, or at calls that its caller has to make, however long that takes: the client decides how long it waits.
    pub(super) async fn end(&self, id: &WorkId) -> Result<Work, Error> {
        loop {
            let end = self.after(id, LONGEST_WAIT_SECONDS);
            let work = auth::while_admitted(&self.app, &self.caller, end).await?;
            if work.is_answered() {
                return Ok(work);
            }
            if self.app.closing.is_cancelled() {
                let message = format!(
                    "the coordinator is shutting down; {id} continues when it is back: repeat the request with its Idempotency-Key, or get /v1/responses/{id}"
                );
                return Err(Error::new(ErrorName::StoreUnavailable, message));
            }
        }
    }
}

/// A new session of an agent.
async fn started(agent: &Agent, ask: &Ask) -> Result<RunRequest, Error> {
    let name = &agent.blueprint.name;
    let mut run = CreateRun { agent_name: Some(name.clone()), ..CreateRun::default() };
    let (opening, prompt) = conversation::split(&ask.turns)?;
    match &agent.parameters {
        Some(schema) => {
            run.parameters = Some(input::parameters(name, schema.document(), &ask.turns).await?);
        }
        None => run.prompt = Some(prompt),
    }
    let has_own = agent.output.is_some() || agent.default_output.is_some();
    run.output_schema = output_schema(&ask.wanted.schema, has_own);
    Ok(RunRequest { run, opening, ..RunRequest::default() })
}

/// The caller's schema. Any object is what a contract of the agent's own is enough for.
fn output_schema(wanted: &Schema, has_own: bool) -> Option<Value> {
    match wanted {
        Schema::None => None,
        Schema::Object if has_own => None,
        Schema::Object => Some(json!({"type": "object"})),
        Schema::This(schema) => Some(schema.clone()),
    }
}

fn check_metadata(metadata: &BTreeMap<String, String>) -> Result<(), Error> {
    let is_long = |(key, value): (&String, &String)| {
        key.chars().count() > LONGEST_METADATA_KEY || value.chars().count() > LONGEST_METADATA_VALUE
    };
    if metadata.len() <= MOST_METADATA && !metadata.iter().any(is_long) {
        return Ok(());
    }
    let message = format!(
        "metadata: expected at most {MOST_METADATA} pairs, with keys of at most {LONGEST_METADATA_KEY} and values of at most {LONGEST_METADATA_VALUE} characters"
    );
    Err(invalid("metadata", message))
}
