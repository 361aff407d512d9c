//! Runs of workflows: made, looked at, stopped.

use std::slice;
use std::sync::Arc;
use std::time::Duration;

use accord_api::{
    CreateWorkflowRun, CreatedWorkflowRun, ErrorName, Page, WorkflowEdgeView, WorkflowNodeView,
    WorkflowRunQuery, WorkflowRunSummary, WorkflowRunView, WorkflowTaskView,
};
use accord_blueprint::hex;
use accord_contract::Meter;
use accord_domain::audit::RequestedBy;
use accord_domain::id::WorkflowRunId;
use accord_domain::input::InputSummary;
use accord_domain::quarantine::{Item, Kind};
use accord_domain::workflow::{Status, WorkflowRun};
use accord_json::read_kept;
use accord_store::{
    NewWorkflowRun, StoreError, TaskRun, WorkflowDocuments, WorkflowRequest, WorkflowRunFilter,
    WorkflowRunStore,
};
use accord_trace::names;
use accord_workflow::{Flow, Known, NodeKind, Purpose, State, Surroundings, Target, Task, read};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tokio::time::{Instant, timeout_at};
use tracing::field::Empty;
use tracing::{Span, debug_span};

use super::WorkflowRuns;
use super::records::with_state;
use crate::app::id_prefix::absent;
use crate::app::page::{List, MOST_COUNTED, counted, search};
use crate::app::promise::first_answer;
use crate::app::recent::read_from;
use crate::app::runs::input_error;
use crate::app::{Caller, Promise, labels};
use crate::error::Error;
use crate::hub::Topic;
use crate::outstanding::Holder;
use crate::work::{heavy, violations};

/// The definition of a run, as it was when the run was created.
#[derive(Serialize, Deserialize)]
struct Definition {
    document: Value,
    known: Known,
}

#[derive(Debug, Default)]
pub(super) struct Around {
    pub(super) parent: Option<WorkflowRunId>,
    pub(super) depth: u32,
    pub(super) surroundings: Surroundings,
    pub(super) requested_by: Option<RequestedBy>,
}

const LIST: List = List("workflow-runs");

/// The run of a workflow, for traces. It ends when the run is written: its steps are taken by any coordinator, at any time. What the
/// run does afterwards, the spans of its agents say, whose parent it is.
fn span(name: &str) -> Span {
    debug_span!(
        "invoke_workflow",
        otel.name = format!("{} {name}", names::INVOKE_WORKFLOW),
        { names::OPERATION } = names::INVOKE_WORKFLOW,
        { names::WORKFLOW } = name,
        { names::WORKFLOW_RUN } = Empty,
    )
}

impl WorkflowRuns {
    pub(crate) async fn create(
        &self,
        caller: &Caller,
        name: &str,
        mut request: CreateWorkflowRun,
        promise: Option<Promise>,
    ) -> Result<CreatedWorkflowRun, Error> {
        // First of all: what the request named may be gone since.
        if let Some(answer) = first_answer(self.store.as_ref(), promise.as_ref()).await? {
            return read_kept(&answer).map_err(Error::internal);
        }
        self.lineage.adopt_workflow(caller, &mut request);
        let input = request.input.unwrap_or_else(|| Value::Object(Map::new()));
        if let Some(parent) = &request.parent_session_id {
            self.lineage.check_parent(parent).await?;
        }
        let demands = request.additional_demands.unwrap_or_default();
        labels::check_asked(&demands, request.project_dir.as_deref())?;
        let span = span(name);
        let surroundings = Surroundings {
            demands,
            project_dir: request.project_dir,
            parent_session_id: request.parent_session_id,
            traceparent: accord_trace::of(&span).map(|trace| trace.to_string()).or_else(|| caller.trace()),
        };
        let requested_by = caller.requested_by.clone();
        let around = Around { surroundings, requested_by, ..Around::default() };
        let new = self.new_workflow_run(name, input, around).await?;
        span.record(names::WORKFLOW_RUN, new.run.id.as_str());
        let created = CreatedWorkflowRun {
            workflow_run_id: new.run.id.clone(),
            workflow_name: name.to_owned(),
            status: new.run.status,
        };
        let promise = promise.map(|promise| promise.answered(&created)).transpose()?;
        match self.store.submit_workflow_run(new, promise).await? {
            None => Ok(created),
            Some(answer) => read_kept(&answer).map_err(Error::internal),
        }
    }

    /// A run that is ready to be written. Every error is reported before.
    pub(super) async fn new_workflow_run(
        &self,
        name: &str,
        input: Value,
        around: Around,
    ) -> Result<NewWorkflowRun, Error> {
        let (found, known) = self.blueprints.usable_workflow(name).await?;
        let read = found.parsed();
        let Some(graph) = &read.graph else { return Err(Error::internal("a sound workflow has no graph")) };
        if let Some(schema) = graph.input_schema() {
            self.check_workflow_input(name, schema, &input).await?;
        }
        let id = WorkflowRunId::new(self.outside.unique());
        let summary = InputSummary::of_value(&[id.as_str(), name], &input);
        let mut state = State::new(graph, input);
        state.head.surroundings = around.surroundings;
        let now = self.outside.now();
        let run = WorkflowRun {
            id,
            workflow_name: name.to_owned(),
            status: Status::Running,
            version: 0,
            parent: around.parent,
            depth: around.depth,
            requested_by: around.requested_by,
            created_at: now,
            updated_at: now,
            finished_at: None,
            failure: None,
        };
        let definition = Definition { document: found.value().clone(), known };
        Ok(NewWorkflowRun {
            run,
            definition: serde_json::to_string(&definition).map_err(Error::internal)?,
            head: serde_json::to_string(&state.head).map_err(Error::internal)?,
            input: summary,
        })
    }

    async fn check_workflow_input(&self, name: &str, schema: &Value, input: &Value) -> Result<(), Error> {
        let compiled = self.contracts.sent_schema(schema).await?.map_err(Error::internal)?;
        let Some(violations) = violations(&compiled, input).await? else { return Ok(()) };
        let errors: Vec<Value> = violations.errors.iter().map(input_error).collect();
        let first = violations.errors.first().map(ToString::to_string).unwrap_or_default();
        let message = format!("the input does not match the input schema of workflow '{name}': {first}");
        let details = json!({"workflow_name": name, "errors": errors, "input_schema": schema});
        Err(Error::new(ErrorName::ParameterValidationFailed, message).with_details(details))
    }

    /// The graph of a run, made ready.
    pub(super) async fn flow(&self, definition: &str) -> Result<Arc<Flow>, Error> {
        let key = hex(&Sha256::digest(definition));
        if let Some(flow) = self.flows.get(&key) {
            return Ok(flow);
        }
        let text = definition.to_owned();
        let made = heavy(move |meter| made_ready(&text, meter)).await?;
        let flow = Arc::new(made?);
        self.flows.put(&key, read_from(definition.len()), Arc::clone(&flow));
        Ok(flow)
    }

    /// One workflow run with all its nodes.
    pub(crate) async fn get(&self, id: &WorkflowRunId) -> Result<WorkflowRunView, Error> {
        let mut documents = match self.store.workflow_documents(id).await {
            Ok(documents) => documents,
            Err(error) => return Err(Box::pin(absent(self.store.as_ref(), id.as_str(), error)).await),
        };
        // The engine has not acted on it yet, but the caller should see that the request was accepted.
        if (documents.asked, documents.run.status) == (Some(WorkflowRequest::Stop), Status::Running) {
            documents.run.status = Status::Stopping;
        }
        if self.is_suspect(&documents).await? {
            return Ok(unread_view(documents.run));
        }
        let flow = self.flow(&documents.definition).await?;
        with_state(&flow, documents, |flow, documents, state| view(flow, documents.run, state)).await
    }

    /// Whether coordinators crashed on a run. Its documents may be the cause, so they are not read for a view. If no
    /// coordinator is running, crashes have not been counted yet.
    async fn is_suspect(&self, documents: &WorkflowDocuments) -> Result<bool, Error> {
        let run = &documents.run;
        if run.failure.is_some() || documents.deaths > 0 {
            return Ok(true);
        }
        let is_unsure = self.instance.is_passive() && !run.status.is_over();
        Ok(is_unsure && self.quarantine.is_marked(&Item::new(Kind::WorkflowStep, &run.id)).await?)
    }

    pub(crate) async fn list(&self, query: WorkflowRunQuery) -> Result<Page<WorkflowRunSummary>, Error> {
        let WorkflowRunQuery { status, workflow_name, q, since, until, limit, cursor } = query;
        let request = LIST.request(limit, cursor)?;
        let filter = WorkflowRunFilter { status, workflow_name, since, until, search: search(q.as_deref())? };
        let page = self.store.workflow_runs(&filter, &request).await?;
        let total = match request.cursor {
            None => Some(self.store.count_workflow_runs(&filter, MOST_COUNTED).await?),
            Some(_) => None,
        };
        let ids: Vec<_> = page.items.iter().map(|run| run.id.clone()).collect();
        let mut previews = self.store.workflow_previews(&ids).await?;
        let view = |run: WorkflowRun| {
            let input_preview = previews.remove(&run.id).unwrap_or_default();
            WorkflowRunSummary { input_preview, ..summary(run) }
        };
        Ok(counted(LIST.view(page, view), total))
    }

    /// Asks a workflow run to stop. Can be repeated.
    pub(crate) async fn stop(&self, id: &WorkflowRunId) -> Result<WorkflowRunView, Error> {
        if self.instance.is_passive() {
            return self.end(id).await;
        }
        self.store.stop_workflow_run(id, self.outside.now()).await?;
        self.get(id).await
    }

    /// Ends a workflow run that no coordinator advances: only in the store, with all its agent
    /// runs.
    async fn end(&self, id: &WorkflowRunId) -> Result<WorkflowRunView, Error> {
        let documents = self.store.workflow_documents(id).await?;
        if documents.run.status.is_over() {
            return self.get(id).await;
        }
        let mut open = vec![id.clone()];
        while let Some(next) = open.pop() {
            for hand in self.store.task_runs(&next).await? {
                match hand {
                    TaskRun::Workflow(child) => open.push(child),
                    TaskRun::Run(run_id) => match self.runs.stop_with_children(&run_id).await {
                        Err(error) if error.name() != ErrorName::RunNotFound => return Err(error),
                        _ => {}
                    },
                }
            }
            match self.store.end_workflow_run(&next, self.outside.now()).await {
                Err(StoreError::NoSuch { .. }) if next != *id => {}
                ended => drop(ended?),
            }
        }
        Ok(unread_view(self.store.workflow_documents(id).await?.run))
    }

    /// Continues a workflow run that failed or was stopped: finished nodes keep their outputs, the others run again. A
    /// repeated request continues it once, and gives it as it is now.
    pub(crate) async fn retry(
        &self,
        id: &WorkflowRunId,
        promise: Option<Promise>,
    ) -> Result<WorkflowRunSummary, Error> {
        if first_answer(self.store.as_ref(), promise.as_ref()).await?.is_some() {
            return summary_of(self.store.as_ref(), self.store.workflow_documents(id).await?.run).await;
        }
        let documents = self.store.workflow_documents(id).await?;
        // A workflow that was removed cannot be started, not by way of an old run either.
        self.blueprints.workflows.found(&documents.run.workflow_name).await?;
        // Coordinators may have died of the documents of a poisoned one.
        if documents.run.status == Status::Failed && !documents.run.is_poisoned() {
            let flow = self.flow(&documents.definition).await?;
            if !with_state(&flow, documents, |_, _, state| state.can_resume()).await? {
                let message =
                    format!("no node of {id} failed, so there is nothing to run again; start a new run");
                return Err(Error::new(ErrorName::NotRetryable, message));
            }
        }
        let idempotency = promise.map(|promise| promise.answered(id)).transpose()?;
        let run = self.store.retry_workflow_run(id, idempotency, self.outside.now()).await?;
        summary_of(self.store.as_ref(), run).await
    }

    /// Removes a finished workflow run.
    pub(crate) async fn remove(&self, id: &WorkflowRunId) -> Result<(), Error> {
        Ok(self.store.remove_workflow_run(id).await?)
    }

    /// The workflow run, once it has finished or the time is up.
    pub(crate) async fn wait(
        &self,
        holder: &Holder,
        id: &WorkflowRunId,
        seconds: u32,
    ) -> Result<WorkflowRunView, Error> {
        let deadline = Instant::now() + Duration::from_secs(seconds.into());
        let watch = self.hub.watch(vec![Topic::Workflow(id.clone())]);
        loop {
            let turn = self.outstanding.turn(holder).await?;
            let view = self.get(id).await?;
            if view.status.is_over() || Instant::now() >= deadline || self.closing.is_cancelled() {
                return Ok(view);
            }
            drop((turn, view));
            let next_look = deadline.min(Instant::now() + self.settings.poll_interval);
            tokio::select! {
                _ = timeout_at(next_look, watch.changed()) => {}
                () = self.closing.cancelled() => {}
            }
        }
    }
}

fn made_ready(definition: &str, meter: &Meter) -> Result<Flow, Error> {
    let Definition { document, known } = serde_json::from_str(definition).map_err(Error::internal)?;
    let (graph, _) = read(&document, meter);
    let whole = graph.filter(|graph| graph.left_out.is_none());
    let graph = whole.ok_or_else(|| Error::internal("the graph of a workflow run cannot be read"))?;
    Flow::new(graph, known).map_err(Error::internal)
}

/// A workflow run as lists show it.
pub(in crate::app) async fn summary_of(
    store: &dyn WorkflowRunStore,
    run: WorkflowRun,
) -> Result<WorkflowRunSummary, Error> {
    let preview = store.workflow_previews(slice::from_ref(&run.id)).await?.remove(&run.id);
    Ok(WorkflowRunSummary { input_preview: preview.unwrap_or_default(), ..summary(run) })
}

fn summary(run: WorkflowRun) -> WorkflowRunSummary {
    WorkflowRunSummary {
        workflow_run_id: run.id,
        workflow_name: run.workflow_name,
        status: run.status,
        parent_workflow_run_id: run.parent,
        requested_by: run.requested_by,
        created_at: run.created_at,
        updated_at: run.updated_at,
        finished_at: run.finished_at,
        input_preview: String::new(),
        error: run.failure,
    }
}

/// A run whose documents are not read.
fn unread_view(run: WorkflowRun) -> WorkflowRunView {
    WorkflowRunView {
        workflow_run_id: run.id,
        workflow_name: run.workflow_name,
        status: run.status,
        parent_workflow_run_id: run.parent,
        requested_by: run.requested_by,
        parent_session_id: None,
        created_at: run.created_at,
        updated_at: run.updated_at,
        finished_at: run.finished_at,
        input: Value::Null,
        output: Value::Null,
        error: run.failure,
        nodes: Vec::new(),
        edges: Vec::new(),
    }
}

fn view(flow: &Flow, run: WorkflowRun, state: State) -> WorkflowRunView {
    let graph = flow.graph();
    let inputs = flow.inputs(&state);
    let edges = graph.edges.iter().enumerate().map(|(place, edge)| {
        let id = |node: usize| graph.nodes.get(node).map(|node| node.id.clone()).unwrap_or_default();
        let taken = flow.taken(&state, place);
        WorkflowEdgeView { from: id(edge.from), to: id(edge.to), when: edge.when.clone(), taken }
    });
    let edges = edges.collect();
    let nodes = graph.nodes.iter().zip(state.nodes).zip(inputs).map(|((node, state), inputs)| {
        let comparison = state.comparison.unwrap_or_default();
        WorkflowNodeView {
            id: node.id.clone(),
            kind: node.kind.as_str().to_owned(),
            agent_name: target_name(&node.kind),
            status: state.status,
            inputs,
            output: state.output,
            error: state.error,
            warning: state.warning,
            contradictions: comparison.contradictions,
            near_duplicates: comparison.near_duplicates,
            agreements: comparison.agreements,
            comparison_truncated: comparison.truncated,
            plan: state.plan.and_then(|plan| serde_json::to_value(plan).ok()),
            tasks: state.tasks.into_iter().map(task).collect(),
            started_at: state.started_at,
            finished_at: state.finished_at,
        }
    });
    let nodes = nodes.collect();
    WorkflowRunView {
        workflow_run_id: run.id,
        workflow_name: run.workflow_name,
        status: run.status,
        parent_workflow_run_id: run.parent,
        requested_by: run.requested_by,
        parent_session_id: state.head.surroundings.parent_session_id,
        created_at: run.created_at,
        updated_at: run.updated_at,
        finished_at: run.finished_at,
        input: state.head.input,
        output: state.head.output,
        error: state.head.error,
        nodes,
        edges,
    }
}

fn task(task: Task) -> WorkflowTaskView {
    WorkflowTaskView {
        name: match task.purpose {
            Purpose::Whole => "whole".to_owned(),
            Purpose::Item(index) => format!("item {index}"),
            Purpose::Plan => "plan".to_owned(),
            Purpose::Subtask(id) => format!("subtask {id}"),
            Purpose::Synthesis => "synthesis".to_owned(),
        },
        status: task.status,
        attempts: task.attempts,
        worker: task.worker,
        earlier: task.earlier,
        error: task.error,
    }
}

/// The name of the agent or workflow that a node names.
fn target_name(kind: &NodeKind) -> Option<String> {
    match &kind.work()?.target {
        Target::Agent(name) | Target::Workflow(name) => Some(name.clone()),
        Target::Inline(blueprint) => blueprint.get("name").and_then(Value::as_str).map(str::to_owned),
    }
}
