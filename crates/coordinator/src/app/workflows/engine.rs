//! Advancing runs of workflows: load, decide, write, once for each version.
//!
//! All consequences of the recorded events are decided at once and written in one transaction: the
//! state, the events, and the runs that start. After a crash before that, the same is decided
//! again. Stop requests are sent after the transaction and repeated until the run has ended,
//! because repeating them does no harm.

use std::collections::VecDeque;
use std::sync::Arc;

use accord_api::ErrorName;
use accord_domain::event::Body;
use accord_domain::id::{RunId, WorkflowRunId};
use accord_domain::run::{Failure, Outcome, Status as RunStatus};
use accord_domain::workflow::{Status, Worker, WorkflowFailure, WorkflowRun};
use accord_json::read_kept;
use accord_store::{
    NewWorkflowRun, StoreError, Submission, TaskRun, WorkflowAdvance, WorkflowDocuments, WorkflowRequest,
};
use accord_workflow::compare::CompareOptions;
use accord_workflow::{Event, Flow, Head, NodeState, State, Step, TaskOutcome, advance};
use jiff::Timestamp;
use serde_json::Value;

use super::WorkflowRuns;
use super::records::{changed, with_state};
use super::start::Begun;
use crate::error::Error;
use crate::metrics::{self, WorkflowStep};
use crate::work::{heavy, heavy_step};

/// How many validation errors are shown with the node that failed. All are with its run.
const MOST_ERRORS_TOLD: usize = 3;

/// Once a step has started or taken this much, what else has happened is left for the next one: a hundred tasks can end at the same
/// time, each with the largest output.
const MOST_STARTED_BYTES: usize = 64 * 1024 * 1024;

/// Everything that is written with the next state.
#[derive(Default)]
struct Work {
    events: Vec<Body>,
    starts: Vec<Submission>,
    children: Vec<NewWorkflowRun>,
    stops: Vec<Worker>,
    /// What the starts and the outputs that led to them have.
    bytes: usize,
    /// The metrics that are counted once everything is written.
    counted: Option<WorkflowStep>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Advanced {
    Written,
    /// Nothing was written: there was nothing to do, or another coordinator was faster.
    Unchanged,
}

impl WorkflowRuns {
    pub(super) async fn advance_workflow(&self, id: &WorkflowRunId) -> Result<Advanced, Error> {
        let documents = self.store.workflow_documents(id).await?;
        if documents.run.status.is_over() {
            return Ok(Advanced::Unchanged);
        }
        let flow = self.flow(&documents.definition).await?;
        let (documents, state) =
            with_state(&flow, documents, |_, documents, state| (documents, state)).await?;
        let done = self.store.finished_task_runs(id).await?;
        let asked = asked(&documents);
        if asked.is_none() && done.is_empty() {
            // Else what was due has been done meanwhile, by another coordinator, say.
            if documents.run.status == Status::Stopping {
                self.stop_workers(at_work(&state)).await?;
            }
            return Ok(Advanced::Unchanged);
        }
        let before = Before::of(&state);
        let mut work = Work::default();
        let mut state = match asked {
            Some(event) => self.decide(&flow, &documents.run, state, event, &mut work).await?,
            None => state,
        };
        let mut taken = Vec::new();
        for hand in done {
            if work.bytes > MOST_STARTED_BYTES {
                // The others are for the next step.
                self.hub.look_at_workflows();
                break;
            }
            let event = match &hand {
                TaskRun::Run(run_id) => self.run_end(run_id).await?,
                TaskRun::Workflow(id) => self.child_workflow_end(id).await?,
            };
            work.bytes += size_of(&event);
            state = self.decide(&flow, &documents.run, state, event, &mut work).await?;
            taken.push(hand);
        }
        work.counted = Some(counted(&flow, &documents.run.workflow_name, &before, &state));
        match self.write_advance(&flow, documents, state, work, taken).await? {
            Some(stops) => {
                self.stop_workers(stops).await?;
                Ok(Advanced::Written)
            }
            None => Ok(Advanced::Unchanged),
        }
    }

    async fn run_end(&self, run_id: &RunId) -> Result<Event, Error> {
        let run = match self.store.run(run_id).await {
            Ok(run) => run,
            // Removed with its session while the workflow waited for it.
            Err(StoreError::NoRun(_)) => return Ok(Event::Lost { run_id: run_id.clone() }),
            Err(error) => return Err(error.into()),
        };
        let end = match (run.status, &run.failure) {
            (RunStatus::Completed, _) => match self.store.outcome(run_id).await? {
                Some(outcome) => TaskOutcome::Completed(value_of(outcome)?),
                None => return Err(Error::internal(format!("{run_id} completed without a result"))),
            },
            (RunStatus::Stopped, _) => TaskOutcome::Stopped,
            (_, Some(failure)) => TaskOutcome::Failed(failure_of(failure)),
            (status, None) => {
                TaskOutcome::Failed(WorkflowFailure::new("executor_failed", format!("the run is {status}")))
            }
        };
        let worker = Worker::Run { run_id: run.id, session_id: run.session_id };
        Ok(Event::Ended { worker, end })
    }

    async fn child_workflow_end(&self, id: &WorkflowRunId) -> Result<Event, Error> {
        let documents = self.store.workflow_documents(id).await?;
        let worker = Worker::Workflow { workflow_run_id: id.clone() };
        // Ended without a step: its documents are not read.
        if let Some(failure) = documents.run.failure {
            let is_stopped = documents.run.status == Status::Stopped;
            return Ok(Event::Ended {
                worker,
                end: if is_stopped { TaskOutcome::Stopped } else { TaskOutcome::Failed(failure) },
            });
        }
        let head: Head = read_kept(&documents.head).map_err(Error::internal)?;
        let end = match (documents.run.status, head.error) {
            (Status::Completed, _) => TaskOutcome::Completed(head.output),
            (Status::Stopped, _) => TaskOutcome::Stopped,
            (_, Some(failure)) => TaskOutcome::Failed(failure),
            (status, None) => TaskOutcome::Failed(WorkflowFailure::new(
                "workflow_failed",
                format!("the workflow run is {status}"),
            )),
        };
        Ok(Event::Ended { worker, end })
    }

    /// Everything that follows from an event. Each start is answered before the next one.
    async fn decide(
        &self,
        flow: &Arc<Flow>,
        run: &WorkflowRun,
        mut state: State,
        event: Event,
        work: &mut Work,
    ) -> Result<State, Error> {
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            let now = self.outside.now();
            let (next, steps) = self.advanced(flow, state, event, now).await?;
            state = next;
            let mut answers = Vec::new();
            for step in steps {
                match step {
                    Step::Tell(body) => work.events.push(body),
                    Step::Stop(worker) => work.stops.push(worker),
                    Step::Start(start) if state.head.status != Status::Running => {
                        answers.push(Event::Withdrawn { at: start.at });
                    }
                    Step::Start(start) => {
                        let at = start.at;
                        answers.push(
                            match self.begun(flow.graph(), run, &state.head.surroundings, &start).await? {
                                Ok(begun) => {
                                    let worker = begun.worker();
                                    match begun {
                                        Begun::Run(submission) => {
                                            work.bytes += submission.assignment.parameters.len();
                                            work.starts.push(*submission);
                                        }
                                        Begun::Workflow(new) => {
                                            work.bytes += new.head.len();
                                            work.children.push(*new);
                                        }
                                    }
                                    Event::Started { at, worker }
                                }
                                Err(failure) => Event::Refused { at, failure },
                            },
                        );
                    }
                }
            }
            for answer in answers.into_iter().rev() {
                events.push_front(answer);
            }
        }
        Ok(state)
    }

    /// One step of the engine. Where siblings were compared and an embedding model is configured, they are compared again
    /// by its vectors: the engine is pure, so the same step can be taken twice.
    async fn advanced(
        &self,
        flow: &Arc<Flow>,
        state: State,
        event: Event,
        now: Timestamp,
    ) -> Result<(State, Vec<Step>), Error> {
        let before = self.embedder.is_some().then(|| (state.clone(), event.clone()));
        let (next, steps) = self.stepped(flow, state, event, now, CompareOptions::default()).await?;
        let (Some(embedder), Some((state, event))) = (&self.embedder, before) else {
            return Ok((next, steps));
        };
        let shared = Arc::clone(flow);
        let (texts, state, next) = heavy_step(move |meter| {
            let texts = shared.texts_to_embed(&state, &next, meter);
            (texts, state, next)
        })
        .await?;
        let texts = texts.unwrap_or_default();
        if texts.is_empty() {
            return Ok((next, steps));
        }
        match embedder.vectors(&texts).await {
            Ok(vectors) => self.stepped(flow, state, event, now, CompareOptions::with_vectors(vectors)).await,
            Err(reason) => {
                tracing::warn!(reason, "no embeddings; outputs are compared by their words");
                Ok((next, steps))
            }
        }
    }

    /// Templates, conditions and comparisons take their time, away from the threads that serve requests.
    async fn stepped(
        &self,
        flow: &Arc<Flow>,
        state: State,
        event: Event,
        now: Timestamp,
        options: CompareOptions,
    ) -> Result<(State, Vec<Step>), Error> {
        let flow = Arc::clone(flow);
        heavy_step(move |meter| advance(&flow, state, event, now, &options, meter)).await
    }

    /// Writes the next state and what goes with it, and returns the workers to stop; `None` if another coordinator was faster.
    async fn write_advance(
        &self,
        flow: &Arc<Flow>,
        before: WorkflowDocuments,
        state: State,
        work: Work,
        taken: Vec<TaskRun>,
    ) -> Result<Option<Vec<Worker>>, Error> {
        let now = self.outside.now();
        let status = state.head.status;
        let (flow, known) = (Arc::clone(flow), before.nodes);
        let written = heavy(move |_| {
            let head = serde_json::to_string(&state.head).map_err(Error::internal)?;
            Ok::<_, Error>((head, changed(&flow, &known, state.nodes)?))
        });
        let (head, nodes) = written.await??;
        let run = WorkflowRun {
            status,
            version: before.run.version + 1,
            updated_at: now,
            finished_at: status.is_over().then_some(now),
            ..before.run
        };
        let id = run.id.clone();
        let advance = WorkflowAdvance {
            run,
            head,
            nodes,
            events: work.events,
            starts: work.starts,
            children: work.children,
            taken,
        };
        match self.store.advance_workflow_run(advance).await {
            Ok(()) => {
                work.counted.iter().for_each(metrics::workflow_step);
                Ok(Some(work.stops))
            }
            // Another coordinator was faster; what it wrote is looked at again.
            Err(StoreError::Changed { .. }) => {
                tracing::debug!(workflow_run = %id, "a workflow run was changed concurrently");
                self.hub.look_at_workflows();
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn stop_workers(&self, workers: Vec<Worker>) -> Result<(), Error> {
        for worker in workers {
            let stopped = match &worker {
                Worker::Run { run_id, .. } => self.runs.stop_with_children(run_id).await.map(drop),
                Worker::Workflow { workflow_run_id } => {
                    let asked = self.store.stop_workflow_run(workflow_run_id, self.outside.now()).await;
                    asked.map(drop).map_err(Error::from)
                }
            };
            match stopped {
                Err(error)
                    if !matches!(error.name(), ErrorName::RunNotFound | ErrorName::WorkflowRunNotFound) =>
                {
                    return Err(error);
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn at_work(state: &State) -> Vec<Worker> {
    state.at_work().map(|(_, worker)| worker.clone()).collect()
}

/// What a caller asked of a run.
fn asked(documents: &WorkflowDocuments) -> Option<Event> {
    documents.asked.map(|asked| match asked {
        WorkflowRequest::Begin => Event::Begun,
        WorkflowRequest::Stop => Event::StopAsked,
        WorkflowRequest::Resume => Event::Resumed,
    })
}

/// About how much an output has.
fn size_of(event: &Event) -> usize {
    match event {
        Event::Ended { end: TaskOutcome::Completed(Value::String(text)), .. } => text.len(),
        Event::Ended { end: TaskOutcome::Completed(value), .. } => value.to_string().len(),
        _ => 0,
    }
}

/// A state before a step, as far as the metrics compare it with the one after.
struct Before {
    is_over: bool,
    /// Of each node, whether it was over and whether its inputs were compared.
    nodes: Vec<(bool, bool)>,
}

impl Before {
    fn of(state: &State) -> Self {
        let node = |node: &NodeState| (node.status.is_over(), node.comparison.is_some());
        Self { is_over: state.head.status.is_over(), nodes: state.nodes.iter().map(node).collect() }
    }
}

/// Counts a step in the metrics: what finished with it.
fn counted(flow: &Flow, workflow: &str, before: &Before, after: &State) -> WorkflowStep {
    let pairs = || flow.graph().nodes.iter().zip(before.nodes.iter().zip(&after.nodes));
    let over = pairs().filter(|(_, ((was_over, _), new))| !was_over && new.status.is_over());
    let compared = pairs().filter(|(_, ((_, was_compared), _))| !was_compared);
    let found = compared.filter_map(|(_, (_, new))| new.comparison.as_ref());
    let status = after.head.status;
    WorkflowStep {
        workflow: workflow.to_owned(),
        ended: (status.is_over() && !before.is_over).then_some(status),
        nodes: over.map(|(node, (_, new))| (node.kind.as_str(), new.status)).collect(),
        contradictions: found.map(|comparison| comparison.contradictions.len() as u64).sum(),
    }
}

/// Why a run failed, with the errors of its answer, so that the run itself need not be opened.
fn failure_of(failure: &Failure) -> WorkflowFailure {
    let Failure { kind, message, validation_errors, .. } = failure;
    let told =
        validation_errors.iter().take(MOST_ERRORS_TOLD).map(String::as_str).collect::<Vec<_>>().join("; ");
    let message = match validation_errors.len() {
        0 => message.clone(),
        all if all <= MOST_ERRORS_TOLD => format!("{message}: {told}"),
        all => format!("{message}: {told}; and {} more", all - MOST_ERRORS_TOLD),
    };
    WorkflowFailure::new(kind.as_str(), message)
}

/// The output of a completed run: the value, or the text.
fn value_of(outcome: Outcome) -> Result<Value, Error> {
    match outcome.result_data {
        Some(text) => read_kept(&text).map_err(Error::internal),
        None => Ok(Value::from(outcome.result_text.unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use accord_domain::run::FailureType;
    use serde_json::json;

    use super::*;
    use crate::app::agents::fixture::{Fixture, reviewer};
    use crate::outside::Outside as _;

    #[tokio::test]
    async fn only_stopping_runs_are_stopped_again() {
        let fixture = Fixture::new(&[]);
        assert_eq!(fixture.post("/agents", &reviewer("reviewer")).await.status, 201);
        let nodes = json!({
            "input": {"type": "input"},
            "review": {"type": "agent", "agent": "reviewer", "prompt": "Review"},
            "output": {"type": "output"},
        });
        let edges = json!([{"from": "input", "to": "review"}, {"from": "review", "to": "output"}]);
        let graph = json!({"name": "flow", "nodes": nodes, "edges": edges});
        assert_eq!(fixture.post("/workflows", &graph).await.status, 201);
        let made = fixture.post("/workflows/flow/runs", &json!({"input": {}})).await.json();
        let id: WorkflowRunId = made["workflow_run_id"].as_str().unwrap().parse().unwrap();
        let app = &fixture.app;
        app.workflow_runs.advance_workflow(&id).await.unwrap();
        let status = async || fixture.get("/runs").await.json()["items"][0]["status"].clone();

        // Another coordinator has looked at the same time and was quicker: nothing is left to do.
        app.workflow_runs.advance_workflow(&id).await.unwrap();
        assert_eq!(status().await, "pending");

        fixture.store.stop_workflow_run(&id, fixture.outside.now()).await.unwrap();
        app.workflow_runs.advance_workflow(&id).await.unwrap();
        assert_eq!(status().await, "stopped");
    }

    #[test]
    fn the_failure_includes_the_errors_of_the_answer() {
        let failure = Failure::new(FailureType::OutputSchemaValidationFailed, "it did not match");
        let told = |errors: &[&str]| {
            let validation_errors = errors.iter().map(|&error| error.to_owned()).collect();
            failure_of(&Failure { validation_errors, ..failure.clone() }).message
        };
        assert_eq!(told(&[]), "it did not match");
        assert_eq!(told(&["$.a: no", "$.b: no"]), "it did not match: $.a: no; $.b: no");
        assert_eq!(told(&["a", "b", "c", "d", "e"]), "it did not match: a; b; c; and 2 more");
    }
}
