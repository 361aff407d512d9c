//! Which run started which session.
//!
//! A run that calls the API has a token that only the holder of its lease can make. It may read agents, workflows and schemas,
//! start sessions and workflow runs, which always become its children, and use what descends from its own session.

use std::sync::Arc;

use accord_api::{CreateRun, CreateWorkflowRun, ErrorName, RunToken, SessionQuery};
use accord_domain::audit::RequestedBy;
use accord_domain::demands::Demands;
use accord_domain::id::{RunId, SessionId, WorkflowRunId};
use accord_domain::key::Role;
use accord_domain::session::{ExecutionMode, Session};
use accord_store::{RunReader, SessionStore, StoreError, WorkflowRunStore};
use accord_workflow::Head;
use subtle::ConstantTimeEq as _;

use super::Caller;
use super::instance::Instance;
use crate::error::{Error, refuse};

/// How far up the parents of a session are looked for. Agents that start agents are a few levels deep; without a bound
/// one question could cost any number of reads.
const DEEPEST: usize = 64;

/// How deep sessions may nest: a session, its children, their children, and so on. Agents that
/// start agents are a few levels deep. An agent that starts itself would never end: each of its
/// runs has its own limits, so the limits of the first do not apply to the others.
const DEEPEST_SESSIONS: usize = 16;

/// A run that calls the API with its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallingRun {
    pub(crate) run_id: RunId,
    /// Its session, the parent of what it starts.
    pub(crate) session_id: SessionId,
}

/// Which sessions and workflow runs a run has started, and so may deal with.
pub(crate) struct Lineage {
    pub(super) runs: Arc<dyn RunReader>,
    pub(super) sessions: Arc<dyn SessionStore>,
    pub(super) workflow_runs: Arc<dyn WorkflowRunStore>,
    pub(super) instance: Arc<Instance>,
}

impl Lineage {
    /// The caller with this token, if its lease is still in force.
    pub(crate) async fn caller(&self, presented: &str) -> Result<Caller, Error> {
        let token: RunToken = presented.parse().map_err(|_| stale())?;
        let run = match self.runs.run(token.run_id()).await {
            Ok(run) => run,
            Err(StoreError::NoRun(_)) => return Err(stale()),
            Err(error) => return Err(error.into()),
        };
        let lease = run.lease.filter(|_| !run.status.is_over()).ok_or_else(stale)?;
        if !bool::from(lease.id.as_str().as_bytes().ct_eq(token.lease_id().as_str().as_bytes())) {
            return Err(stale());
        }
        let calling = CallingRun { run_id: run.id, session_id: run.session_id };
        // Runs that it starts name this run, and the key that requested this run.
        let RequestedBy { key_id, key_name, .. } = run.requested_by.unwrap_or_default();
        let run_id = Some(calling.run_id.clone());
        let requested_by = Some(RequestedBy { key_id, key_name, run_id, ..RequestedBy::default() });
        Ok(Caller {
            key_id: None,
            role: Role::Caller,
            run: Some(calling),
            requested_by,
            expires_at: None,
            traceparent: None,
        })
    }

    /// Restricts a request for a run to the caller: what it starts gets the caller's session as its
    /// parent, and it can only resume sessions that it started. The run goes to the runner that
    /// this coordinator serves, if there is one; but children that call back are not waited for,
    /// and may go to other runners.
    pub(super) async fn adopt(&self, caller: &Caller, request: &mut CreateRun) -> Result<(), Error> {
        if request.execution_mode != Some(ExecutionMode::AsyncCallback) {
            self.bind(&mut request.additional_demands);
        }
        let Some(run) = &caller.run else { return Ok(()) };
        match &request.session_id {
            Some(session_id) => {
                self.check_descent(run, session_id).await?;
                request.parent_session_id = None;
            }
            None => request.parent_session_id = Some(run.session_id.clone()),
        }
        Ok(())
    }

    /// Makes a workflow run the caller's own: the sessions in it have the caller's session as their parent.
    pub(super) fn adopt_workflow(&self, caller: &Caller, request: &mut CreateWorkflowRun) {
        self.bind(&mut request.additional_demands);
        if let Some(run) = &caller.run {
            request.parent_session_id = Some(run.session_id.clone());
        }
    }

    fn bind(&self, demands: &mut Option<Demands>) {
        if let Some(tag) = self.instance.runner_tag() {
            demands.get_or_insert_default().tags.insert(tag.clone());
        }
    }

    /// Narrows a list to what the caller may see.
    pub(super) async fn narrow(&self, caller: &Caller, query: &mut SessionQuery) -> Result<(), Error> {
        let Some(run) = &caller.run else { return Ok(()) };
        match &query.parent_session_id {
            Some(parent) if *parent != run.session_id => self.check_descent(run, parent).await,
            _ => {
                query.parent_session_id = Some(run.session_id.clone());
                Ok(())
            }
        }
    }

    /// Whether a session may have children, by how deep it is itself.
    async fn check_nesting(&self, parent: &Session) -> Result<(), Error> {
        let mut above = parent.parent_session_id.clone();
        // The child and its parent; then those above.
        let mut depth = 2;
        while let Some(id) = above {
            depth += 1;
            if depth > DEEPEST_SESSIONS {
                return Err(refuse(format!(
                    "parent_session_id: sessions can be nested {DEEPEST_SESSIONS} levels deep, and {} is at that depth; start this one from an agent further up",
                    parent.id
                )));
            }
            above = self.parent_of(&id).await?;
        }
        Ok(())
    }

    /// Whether a session descends from that of the run.
    pub(crate) async fn check_descent(&self, run: &CallingRun, session_id: &SessionId) -> Result<(), Error> {
        let mut parent = self.sessions.session(session_id).await?.parent_session_id;
        for _ in 0..DEEPEST {
            match parent {
                Some(id) if id == run.session_id => return Ok(()),
                Some(id) => parent = self.parent_of(&id).await?,
                None => break,
            }
        }
        let message =
            format!("{session_id} was not started by this run; a run can access only its own children");
        Err(Error::new(ErrorName::Forbidden, message))
    }

    /// Whether the session of a run descends from that of the caller.
    pub(crate) async fn check_run_descent(&self, run: &CallingRun, run_id: &RunId) -> Result<(), Error> {
        let session_id = self.runs.run(run_id).await?.session_id;
        self.check_descent(run, &session_id).await
    }

    /// The same for a run that is not in the path: one that the caller did not start does not exist for it.
    pub(crate) async fn find_run(&self, run: &CallingRun, run_id: &RunId) -> Result<(), Error> {
        match self.check_run_descent(run, run_id).await {
            Err(error) if error.name() == ErrorName::Forbidden => {
                Err(StoreError::NoRun(run_id.clone()).into())
            }
            checked => checked,
        }
    }

    /// The session that is to be the parent of a new one.
    pub(super) async fn check_parent(&self, parent: &SessionId) -> Result<Session, Error> {
        match self.sessions.session(parent).await {
            Ok(session) => {
                self.check_nesting(&session).await?;
                Ok(session)
            }
            Err(StoreError::NoSession(_)) => {
                let message = format!("parent_session_id: session {parent} not found");
                Err(Error::new(ErrorName::SessionNotFound, message))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a workflow run was started by the run, or by what descends from it.
    pub(crate) async fn check_workflow_descent(
        &self,
        run: &CallingRun,
        id: &WorkflowRunId,
    ) -> Result<(), Error> {
        let head = self.workflow_runs.workflow_documents(id).await?.head;
        let head: Head = serde_json::from_str(&head).map_err(Error::internal)?;
        match head.surroundings.parent_session_id {
            Some(parent) if parent == run.session_id => Ok(()),
            Some(parent) => self.check_descent(run, &parent).await,
            None => {
                let message =
                    format!("{id} was not started by this run; a run can access only its own workflow runs");
                Err(Error::new(ErrorName::Forbidden, message))
            }
        }
    }

    /// A parent that was removed meanwhile ends the line.
    async fn parent_of(&self, session_id: &SessionId) -> Result<Option<SessionId>, Error> {
        match self.sessions.session(session_id).await {
            Ok(session) => Ok(session.parent_session_id),
            Err(StoreError::NoSession(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn stale() -> Error {
    let message = "invalid or expired run token: the run has finished, or another runner is working on it";
    Error::new(ErrorName::Unauthorized, message)
}
