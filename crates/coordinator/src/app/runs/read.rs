//! Reading and stopping runs.

use accord_api::{AttemptList, Page, RunQuery, RunResult, RunView};
use accord_domain::contract::Origin;
use accord_domain::id::RunId;
use accord_domain::run::{Outcome, Run};
use accord_store::{RunFilter, WholeRun};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::app::App;
use crate::app::page::{self, List};
use crate::error::Error;
use crate::metrics;

const LIST: List = List("runs");

impl App {
    /// Runs, newest first, without their documents.
    pub(crate) async fn runs(&self, query: RunQuery) -> Result<Page<RunView>, Error> {
        let RunQuery { status, agent_name, session_id, since, limit, cursor } = query;
        let request = LIST.request(limit, cursor)?;
        let filter = RunFilter { status, agent_name, session_id, since };
        Ok(LIST.view(self.store.runs(&filter, &request).await?, view))
    }

    /// The attempts of a run.
    pub(crate) async fn attempts(
        &self,
        run_id: &RunId,
        limit: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<AttemptList, Error> {
        self.store.run(run_id).await?;
        let Page { items, next_cursor } = page::by_count(self.store.attempts(run_id).await?, limit, cursor)?;
        Ok(AttemptList { items, next_cursor })
    }

    /// Stops a run: at once where it waits, by its runner's heartbeat where it is at work, not at all where it is over.
    pub(crate) async fn stop_run(&self, run_id: &RunId) -> Result<RunView, Error> {
        self.stop(run_id).await.map(view)
    }

    pub(in crate::app) async fn stop(&self, run_id: &RunId) -> Result<Run, Error> {
        let now = self.outside.now();
        let run = self.store.stop_run(run_id, now).await?;
        // Over since this very call, and not since an earlier one.
        if run.finished_at == Some(now) {
            metrics::run_over(&run);
        }
        Ok(run)
    }
}

/// A run with its documents.
pub(super) fn whole_view(whole: WholeRun) -> Result<RunView, Error> {
    let WholeRun { run, assignment, outcome } = whole;
    let contract_origin = assignment.contract.as_deref().map(origin).transpose()?;
    Ok(RunView {
        parameters: Some(raw(assignment.parameters)?),
        contract: assignment.contract.map(raw).transpose()?,
        contract_origin,
        result: outcome.map(result).transpose()?,
        ..view(run)
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
        usage: run.usage,
        created_at: run.created_at,
        claimed_at: run.claimed_at,
        started_at: run.started_at,
        finished_at: run.finished_at,
        parameters: None,
        contract: None,
        contract_origin: None,
        result: None,
    }
}
