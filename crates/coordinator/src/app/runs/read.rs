//! Reading and stopping runs.

use std::slice;

use accord_api::{AttemptList, ErrorName, Page, RunQuery, RunResult, RunView};
use accord_domain::contract::Origin;
use accord_domain::id::RunId;
use accord_domain::run::{Outcome, Run};
use accord_store::{RunFilter, RunReader, RunSummary, WholeRun};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Runs;
use crate::app::page::{self, List, MOST_COUNTED};
use crate::error::Error;
use crate::metrics;

/// Children that are stopped before it is looked whether there are more.
const CHILDREN_A_ROUND: u32 = 200;

const LIST: List = List("runs");

impl Runs {
    /// Runs, newest first, without their documents.
    pub(crate) async fn list(&self, query: RunQuery) -> Result<Page<RunView>, Error> {
        let RunQuery { status, agent_name, session_id, q, since, until, limit, cursor } = query;
        let request = LIST.request(limit, cursor)?;
        let search = page::search(q.as_deref())?;
        let filter = RunFilter { status, agent_name, session_id, since, until, search };
        let page = self.store.runs(&filter, &request).await?;
        let total = match request.cursor {
            None => Some(self.store.count_runs(&filter, MOST_COUNTED).await?),
            Some(_) => None,
        };
        let ids: Vec<_> = page.items.iter().map(|run| run.id.clone()).collect();
        let mut summaries = self.store.run_summaries(&ids).await?;
        let view = |run: Run| {
            let summary = summaries.remove(&run.id).unwrap_or_default();
            summed_up(view(run), summary)
        };
        Ok(page::counted(LIST.view(page, view), total))
    }

    pub(crate) async fn attempts(
        &self,
        run_id: &RunId,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<AttemptList, Error> {
        self.store.run(run_id).await?;
        let page = page::by_count(self.store.attempts(run_id).await?, limit, cursor)?;
        Ok(AttemptList { items: page.items, next_cursor: page.next_cursor })
    }

    /// Stops a run: at once if it is pending, by its runner's heartbeat if it is running, and not at all if it is finished. The
    /// children that it waits for are stopped with it.
    pub(crate) async fn stop(&self, run_id: &RunId) -> Result<RunView, Error> {
        let run = self.stop_with_children(run_id).await?;
        view_of(self.store.as_ref(), run).await
    }

    /// The same with its documents.
    pub(super) async fn whole_view_of(&self, whole: WholeRun) -> Result<RunView, Error> {
        let id = &whole.run.id;
        let summary = self.store.run_summaries(slice::from_ref(id)).await?.remove(id);
        whole_view(whole, summary.unwrap_or_default())
    }

    /// Asks a run to stop, and then its children. If this coordinator dies in between, a reconciler asks them.
    pub(in crate::app) async fn stop_with_children(&self, run_id: &RunId) -> Result<Run, Error> {
        let run = self.stop_alone(run_id, self.outside.now()).await?;
        self.stop_orphans().await?;
        Ok(run)
    }

    /// Stops the children that do not outlive their parent's run, then their children, until none is left.
    pub(crate) async fn stop_orphans(&self) -> Result<(), Error> {
        loop {
            let mut stopped = 0;
            for run_id in self.store.children_to_stop(CHILDREN_A_ROUND).await? {
                match self.stop_alone(&run_id, self.outside.now()).await {
                    Ok(_) => stopped += 1,
                    // Removed meanwhile.
                    Err(error) if error.name() == ErrorName::RunNotFound => {}
                    Err(error) => {
                        tracing::warn!(run = %run_id, cause = error.cause(), "a child could not be stopped; will retry");
                    }
                }
            }
            if stopped == 0 {
                return Ok(());
            }
        }
    }

    async fn stop_alone(&self, run_id: &RunId, now: Timestamp) -> Result<Run, Error> {
        let run = match self.instance.is_passive() && !self.store.is_shared() {
            // A SQLite file has one permanent coordinator, and that is not running: nothing would notify the runner.
            true => self.store.stop_run_at_once(run_id, now).await?,
            false => self.store.stop_run(run_id, now).await?,
        };
        let is_lost = run.lease.as_ref().is_some_and(|lease| lease.expires_at <= now);
        let run = match self.instance.is_passive() && is_lost {
            true => self.store.stop_run_at_once(run_id, now).await?,
            false => run,
        };
        // Over since this very call, and not since an earlier one.
        if run.finished_at == Some(now) {
            metrics::run_over(&run);
        }
        Ok(run)
    }
}

/// A run as lists show it.
pub(in crate::app) async fn view_of(store: &dyn RunReader, run: Run) -> Result<RunView, Error> {
    let summary = store.run_summaries(slice::from_ref(&run.id)).await?.remove(&run.id);
    Ok(summed_up(view(run), summary.unwrap_or_default()))
}

/// A run with its documents.
fn whole_view(whole: WholeRun, summary: RunSummary) -> Result<RunView, Error> {
    let WholeRun { run, assignment, outcome } = whole;
    let contract_origin = assignment.contract.as_deref().map(origin).transpose()?;
    Ok(RunView {
        parameters: Some(raw(assignment.parameters)?),
        contract: assignment.contract.map(raw).transpose()?,
        contract_origin,
        result: outcome.map(result).transpose()?,
        ..summed_up(view(run), summary)
    })
}

/// JSON text that is passed on as it is.
pub(crate) fn raw(text: String) -> Result<Box<RawValue>, Error> {
    RawValue::from_string(text).map_err(Error::internal)
}

fn origin(contract: &str) -> Result<Origin, Error> {
    #[derive(Deserialize)]
    struct OriginOnly {
        origin: Origin,
    }
    serde_json::from_str::<OriginOnly>(contract).map(|contract| contract.origin).map_err(Error::internal)
}

fn result(outcome: Outcome) -> Result<RunResult, Error> {
    Ok(RunResult {
        result_text: outcome.result_text,
        result_data: outcome.result_data.map(raw).transpose()?,
        schema_validation: outcome.validation,
    })
}

fn summed_up(view: RunView, summary: RunSummary) -> RunView {
    let RunSummary { preview, model, attempts } = summary;
    RunView { input_preview: preview, model, attempts, ..view }
}

fn view(run: Run) -> RunView {
    RunView {
        run_id: run.id,
        session_id: run.session_id,
        kind: run.kind,
        agent_name: run.agent_name,
        status: run.status,
        execution_mode: run.execution_mode,
        demands: run.demands,
        priority: run.priority,
        attempt: run.attempt,
        retry_count: run.retry_count,
        runner_id: run.lease.map(|lease| lease.runner_id),
        error: run.failure,
        requested_by: run.requested_by,
        usage: run.usage,
        created_at: run.created_at,
        claimed_at: run.claimed_at,
        started_at: run.started_at,
        finished_at: run.finished_at,
        waits_until: run.waits_until,
        input_preview: String::new(),
        model: None,
        attempts: 0,
        parameters: None,
        contract: None,
        contract_origin: None,
        result: None,
    }
}
