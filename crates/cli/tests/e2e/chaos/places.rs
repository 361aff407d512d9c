//! Every place that shows a result, and what may be visible there.

use accord_contract::Meter;
use std::collections::BTreeSet;
use std::time::Duration;

use accord_api::attempt::Outcome;
use accord_api::{
    EventBody, EventId, Page, PageQuery, RunQuery, RunResult, RunStatus, RunView, SessionStatus,
};
use accord_client::EventFilter;
use accord_contract::Schema;
use accord_test_support::ModelServer;
use futures_util::StreamExt as _;
use serde_json::{Value, json, value::RawValue};

use crate::mcp;
use crate::support::Accord;

/// One run in this many is also checked over MCP.
const BY_MCP: u32 = 9;

/// The maximum page size.
const PAGE: u32 = 500;

pub(super) struct Places<'a> {
    pub(super) accord: &'a Accord,
    pub(super) schema: &'a Schema,
    pub(super) max_retries: u32,
}

impl Places<'_> {
    /// Every view of a run shows the same conforming value, or none at all. Returns the outcomes of
    /// its attempts.
    pub(super) async fn look_at(&self, number: u32, run: &RunView, did: &str) -> Vec<Outcome> {
        assert!(run.status.is_over(), "{:?} {did}", run.status);
        let value = self.in_a_run(run, did);
        assert_eq!(value.is_some(), run.status == RunStatus::Completed, "{did}");
        assert_eq!(value.is_none(), run.error.is_some(), "{did}");
        let again = self.accord.client.run(&run.run_id).await.unwrap();
        assert_eq!((again.status, self.in_a_run(&again, did)), (run.status, value.clone()), "{did}");
        self.in_the_session(run, value.as_ref(), did).await;
        self.in_the_events_of_the_session(run, value.as_ref(), did).await;
        if number.is_multiple_of(BY_MCP) {
            self.by_mcp(run, value.as_ref(), did).await;
        }
        self.attempts(run, did).await
    }

    /// The value in the run, which must conform.
    fn in_a_run(&self, run: &RunView, did: &str) -> Option<Value> {
        let RunResult { result_text, result_data, schema_validation } = run.result.as_ref()?;
        assert_eq!(*result_text, None, "{did}");
        assert!(schema_validation.as_ref().is_some_and(|validation| validation.valid), "{did}");
        Some(self.conforming(result_data.as_deref(), did))
    }

    fn conforming(&self, raw: Option<&RawValue>, did: &str) -> Value {
        let value: Value = serde_json::from_str(raw.unwrap().get()).unwrap();
        assert!(self.schema.accepts(&value, &Meter::default()), "{value} {did}");
        value
    }

    async fn in_the_session(&self, run: &RunView, value: Option<&Value>, did: &str) {
        let client = &self.accord.client;
        let session = client.session(&run.session_id).await.unwrap();
        let status = if value.is_some() { SessionStatus::Finished } else { SessionStatus::Failed };
        assert_eq!((session.status, &session.last_run_id), (status, &run.run_id), "{did}");
        let result = client.session_result(&run.session_id).await;
        let Some(value) = value else { return assert!(result.is_err(), "{result:?} {did}") };
        let result = result.unwrap();
        assert_eq!((result.run_id, result.result_text), (run.run_id.clone(), None), "{did}");
        for raw in [result.result_data, result.validated_output] {
            assert_eq!(self.conforming(raw.as_deref(), did), *value, "{did}");
        }
    }

    async fn in_the_events_of_the_session(&self, run: &RunView, value: Option<&Value>, did: &str) {
        let mut page = PageQuery { limit: Some(PAGE), cursor: None };
        let mut results = Vec::new();
        loop {
            let events = self.accord.client.session_events(&run.session_id, &page).await.unwrap();
            results.extend(events.items.into_iter().filter_map(|event| match event.body {
                EventBody::Result { result_text, result_data } => Some((result_text, result_data)),
                _ => None,
            }));
            page.cursor = events.next_cursor;
            if page.cursor.is_none() {
                break;
            }
        }
        let expected: Vec<_> = value.map(|value| (None, Some(value.clone()))).into_iter().collect();
        assert_eq!(results, expected, "{did}");
    }

    async fn by_mcp(&self, run: &RunView, value: Option<&Value>, did: &str) {
        let session = json!({"session_id": run.session_id});
        let result = mcp::call(&self.accord.url, None, "get_agent_session_result", session).await;
        let shown = result.get("structuredContent").and_then(|content| content.get("result_data"));
        assert_eq!(shown, value, "{result} {did}");
        assert_eq!(result.get("isError") == Some(&json!(true)), value.is_none(), "{result} {did}");
    }

    /// No more answers than allowed, and exactly one of them accepted if there is a value.
    async fn attempts(&self, run: &RunView, did: &str) -> Vec<Outcome> {
        let attempts = self.accord.client.attempts(&run.run_id).await.unwrap().items;
        // A request that the endpoint rejects is not an answer and uses no retry: it rejected the
        // schema, or a token limit that was raised after a cut. A run that fails permanently does
        // so on its last attempt.
        let answers = attempts.iter().enumerate().filter(|(index, one)| match one.outcome {
            Outcome::SchemaRejected => false,
            Outcome::Failed => index + 1 == attempts.len(),
            _ => true,
        });
        let counted = answers.count();
        assert!(counted <= 1 + self.max_retries as usize, "{counted} attempts, {did}");
        let outcomes: Vec<_> = attempts.iter().map(|one| one.outcome).collect();
        let accepted = outcomes.iter().filter(|outcome| **outcome == Outcome::Accepted).count();
        assert_eq!(accepted, usize::from(run.status == RunStatus::Completed), "{did}");
        outcomes
    }

    /// All runs as lists show them: finished, without a result or with one that conforms.
    pub(super) async fn in_lists(&self) -> Vec<RunView> {
        let runs = self.all(RunQuery::default()).await;
        for run in &runs {
            assert!(run.status.is_over(), "{run:?}");
            if run.agent_name != "parent" {
                self.in_a_run(run, "in the list");
            }
        }
        runs
    }

    pub(super) async fn runs_of(&self, agent: &str) -> usize {
        self.all(RunQuery { agent_name: Some(agent.to_owned()), ..RunQuery::default() }).await.len()
    }

    async fn all(&self, query: RunQuery) -> Vec<RunView> {
        let mut query = RunQuery { limit: Some(PAGE), ..query };
        let mut runs = Vec::new();
        loop {
            let Page { items, next_cursor, .. } = self.accord.client.runs(&query).await.unwrap();
            runs.extend(items);
            match next_cursor {
                Some(cursor) => query.cursor = Some(cursor),
                None => return runs,
            }
        }
    }

    /// The stream of all events from its beginning: one conforming result for each completed run.
    pub(super) async fn in_the_stream(&self, runs: &[RunView]) {
        let filter =
            EventFilter { types: vec!["result".into(), "run.completed".into()], ..EventFilter::default() };
        let mut events = self.accord.client.events(&filter, Some(EventId::default()));
        let completed = runs.iter().filter(|run| run.status == RunStatus::Completed).count();
        let (mut over, mut results) = (0, 0);
        while over < completed {
            match events.next().await.unwrap().unwrap().body {
                EventBody::RunCompleted => over += 1,
                EventBody::Result { result_data: Some(value), result_text: None } => {
                    assert!(self.schema.accepts(&value, &Meter::default()), "{value}");
                    results += 1;
                }
                EventBody::Result { result_text: Some(text), result_data: None } => {
                    assert_eq!(text, "noted");
                    results += 1;
                }
                other => assert_eq!(other, EventBody::RunCompleted, "a result has exactly one side"),
            }
        }
        assert_eq!(results, over);
    }

    /// The parent's own runs end a moment after those of the last child.
    pub(super) async fn nothing_is_left(&self) {
        let mut look = tokio::time::interval(Duration::from_millis(50));
        for status in [RunStatus::Pending, RunStatus::Claimed, RunStatus::Running, RunStatus::Stopping] {
            let query = RunQuery { status: Some(status), ..RunQuery::default() };
            while !self.all(query.clone()).await.is_empty() {
                look.tick().await;
            }
        }
    }

    /// The parent gets one callback per child: a conforming value, or an error.
    pub(super) async fn told_to_the_parent(&self, model: &ModelServer, children: &BTreeSet<String>) {
        let mut heard = BTreeSet::new();
        let mut seen = 0;
        while heard.len() < children.len() {
            model.wait_for_requests(seen + 1).await;
            for request in model.requests().iter().skip(seen) {
                seen += 1;
                for told in request.last_text().split("<agent-callback ").skip(1) {
                    let (head, body) = told.split_once(">\n").unwrap();
                    let body = body.split_once("\n</agent-callback>").unwrap().0;
                    let child = head.split('"').nth(1).unwrap().to_owned();
                    if head.contains("status=\"completed\"") {
                        let value: Value = serde_json::from_str(body).unwrap();
                        assert!(self.schema.accepts(&value, &Meter::default()), "{told}");
                    } else {
                        assert!(body.starts_with("Error: "), "{told}");
                    }
                    assert!(heard.insert(child), "told twice: {told}");
                }
            }
        }
        assert_eq!(&heard, children);
    }
}
