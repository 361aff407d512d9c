//! New runs.

use accord_domain::event::{Body, NewEvent};
use accord_domain::id::{RunId, SessionId};
use accord_domain::quarantine::Kind;
use accord_domain::run::Run;
use accord_domain::run::change::created;
use accord_domain::session::{ExecutionMode, Session, Status};
use accord_domain::step::Step;
use accord_store::{Idempotency, SessionChoice, StoreError, Submission, Submitted};
use jiff::Timestamp;
use sqlx::{PgConnection, Row};

use super::steps;
use crate::convert::{id, whole};
use crate::error::DbError;
use crate::group::{Job, Locks, Look, Outcome};
use crate::horizon::BEGIN;
use crate::notices::Announcement;
use crate::quarantine::clear;
use crate::rows::insert_runs;
use crate::store::{PostgresStore, conclude};
use crate::{callbacks, idempotency, inputs, load, sessions, write};

/// The submission with times as they will be read again.
pub(crate) fn to_the_microsecond(submission: Submission) -> Submission {
    let run = Run {
        created_at: whole(submission.run.created_at),
        queued_at: whole(submission.run.queued_at),
        waits_until: submission.run.waits_until.map(whole),
        ..submission.run
    };
    let session = match submission.session {
        SessionChoice::New(session) => SessionChoice::New(Box::new(Session {
            created_at: whole(session.created_at),
            updated_at: whole(session.updated_at),
            ..*session
        })),
        resumed => resumed,
    };
    Submission { run, session, ..submission }
}

/// A submission that needs no row that others may have locked: no session, and no parent that waits.
pub(crate) struct NewRun(Submission);

impl NewRun {
    /// `None` if it has to be alone.
    pub(super) fn of(submission: &Submission) -> Option<Self> {
        let is_new = matches!(submission.session, SessionChoice::New(_));
        let is_child = submission.run.execution_mode == ExecutionMode::AsyncCallback;
        (is_new && !is_child && submission.asks.is_none()).then(|| Self(submission.clone()))
    }
}

impl Job for NewRun {
    type Answer = Submitted;
    type Seen = ();

    /// One statement writes new runs, unless they have a key to take or steps to begin with.
    fn begin(jobs: &[&Self]) -> Option<&'static str> {
        let needs_more = |job: &&Self| job.0.idempotency.is_some() || !job.0.steps.is_empty();
        jobs.iter().any(needs_more).then_some(BEGIN)
    }

    fn bytes(&self) -> usize {
        let assignment = &self.0.assignment;
        let texts = [assignment.contract.as_deref(), assignment.input.as_deref()];
        let texts = texts.into_iter().flatten().map(str::len).sum::<usize>();
        assignment.blueprint.len() + assignment.parameters.len() + texts
    }

    fn key(&self) -> Option<&str> {
        self.0.idempotency.as_ref().map(|idempotency| idempotency.key.as_str())
    }

    async fn look(_: &mut PgConnection, _: &[&Self]) -> Result<Look<(), Submitted>, DbError> {
        Ok(Look::Seen(()))
    }

    async fn together(
        connection: &mut PgConnection,
        jobs: &[&Self],
        (): (),
        locks: Locks,
    ) -> Result<(Vec<Outcome<Submitted>>, Announcement), DbError> {
        if let (Locks::Wait, [Self(submission)]) = (locks, jobs) {
            let submitted = write(connection, submission).await?;
            let is_new = matches!(submitted, Submitted::Created(_));
            let announcement = if is_new { Announcement::queued() } else { Announcement::default() };
            return Ok((vec![Outcome::Done(Ok(submitted))], announcement));
        }
        let all: Vec<&Submission> = jobs.iter().map(|job| &job.0).collect();
        let keys: Vec<_> = all.iter().filter_map(|each| key_of(each)).collect();
        let mut taken = idempotency::take_all(connection, &keys).await?.into_iter();
        let (mut new, mut outcomes) = (Vec::new(), Vec::new());
        for submission in all {
            // What was answered before is read alone.
            outcomes.push(match submission.idempotency.is_none() || taken.next() == Some(true) {
                true => {
                    new.push(submission);
                    Outcome::Done(Ok(Submitted::Created(Box::new(submission.run.clone()))))
                }
                false => Outcome::Apart,
            });
        }
        if new.is_empty() {
            return Ok((outcomes, Announcement::default()));
        }
        let (mut begun, mut events) = (Vec::new(), Vec::new());
        for submission in &new {
            begun.extend(first_steps(submission));
            if let SessionChoice::New(session) = &submission.session {
                events.extend(created(&submission.run, session, None));
            }
        }
        steps::insert(connection, &begun).await?;
        insert_runs(connection, &new, &events).await?;
        Ok((outcomes, Announcement::queued()))
    }
}

fn key_of(submission: &Submission) -> Option<(&Idempotency, Timestamp)> {
    Some((submission.idempotency.as_ref()?, submission.run.created_at))
}

/// The steps that a run begins with.
fn first_steps(submission: &Submission) -> impl Iterator<Item = (&RunId, Step)> {
    let run = &submission.run;
    (1..)
        .zip(&submission.steps)
        .map(|(number, body)| (&run.id, Step { number, delivery: 0, at: run.created_at, body: body.clone() }))
}

impl PostgresStore {
    pub(super) async fn submit(&self, submission: &Submission) -> Result<Submitted, DbError> {
        let mut transaction = self.begin().await?;
        let written = write(&mut transaction, submission).await;
        if let Ok(Submitted::AlreadyDelivered) = written {
            transaction.rollback().await?;
            return written;
        }
        let submitted = conclude(transaction, written).await?;
        if matches!(submitted, Submitted::Created(_)) {
            self.hub.announce(Announcement::queued());
        }
        Ok(submitted)
    }
}

async fn write(connection: &mut PgConnection, submission: &Submission) -> Result<Submitted, DbError> {
    let (submitted, events) = place(connection, submission).await?;
    write::events(connection, &events).await?;
    Ok(submitted)
}

/// Writes a run but for its events, which are written once in a transaction.
pub(crate) async fn place(
    connection: &mut PgConnection,
    submission: &Submission,
) -> Result<(Submitted, Vec<NewEvent>), DbError> {
    let run = &submission.run;
    let key = submission.idempotency.as_ref();
    if let Some(answer) = idempotency::take(connection, key, run.created_at).await? {
        return Ok((Submitted::Replayed(answer), Vec::new()));
    }
    let mut children = Vec::new();
    let session = match &submission.session {
        SessionChoice::New(session) => (**session).clone(),
        SessionChoice::Resume(session_id) => {
            let session = load::session(connection, session_id).await?;
            match deliver(connection, run, &submission.delivers).await? {
                Delivery::Nothing => {}
                Delivery::Gone => return Ok((Submitted::AlreadyDelivered, Vec::new())),
                Delivery::Of(told) => children = told,
            }
            callbacks::let_go(connection, session_id).await?;
            resume(connection, session, run).await?
        }
    };
    insert_runs(connection, &[submission], &[]).await?;
    steps::insert(connection, &first_steps(submission).collect::<Vec<_>>()).await?;
    if run.execution_mode == ExecutionMode::AsyncCallback {
        sessions::settle_parent(connection, &session, run.created_at).await?;
    }
    inputs::insert(connection, submission.asks.as_deref()).await?;
    let mut events = created(run, &session, submission.asks.as_deref());
    if !children.is_empty() {
        events.push(delivered(run, children, run.created_at));
    }
    Ok((Submitted::Created(Box::new(run.clone())), events))
}

/// The result of delivering callbacks.
pub(super) enum Delivery {
    Nothing,
    /// One of them is no longer pending.
    Gone,
    Of(Vec<SessionId>),
}

/// Writing locks: of two that deliver the same, the second finds nothing.
const DELIVER: &str = "
UPDATE callbacks SET delivered_by = $3
WHERE run_id = ANY($1) AND parent_session_id = $2 AND delivered_by IS NULL RETURNING run_id, session_id";

/// Marks callbacks as delivered by this run. If one is gone, the caller must roll back.
pub(super) async fn deliver(
    connection: &mut PgConnection,
    run: &Run,
    owed: &[RunId],
) -> Result<Delivery, DbError> {
    if owed.is_empty() {
        return Ok(Delivery::Nothing);
    }
    clear(connection, Kind::Callback, run.session_id.as_str()).await?;
    let rows = sqlx::query(DELIVER)
        .bind(owed.iter().map(|run_id| run_id.as_str()).collect::<Vec<_>>())
        .bind(run.session_id.as_str())
        .bind(run.id.as_str())
        .fetch_all(connection)
        .await?;
    let mut children = Vec::new();
    for run_id in owed {
        let mut found = None;
        for row in &rows {
            if row.try_get::<&str, _>("run_id")? == run_id.as_str() {
                found = Some(id(row.try_get("session_id")?)?);
            }
        }
        let Some(child) = found else { return Ok(Delivery::Gone) };
        if !children.contains(&child) {
            children.push(child);
        }
    }
    Ok(Delivery::Of(children))
}

pub(super) fn delivered(run: &Run, children: Vec<SessionId>, at: Timestamp) -> NewEvent {
    NewEvent {
        at,
        session_id: run.session_id.clone(),
        run_id: Some(run.id.clone()),
        body: Body::CallbackDelivered { children, resumed_by: run.id.clone() },
    }
}

async fn resume(connection: &mut PgConnection, session: Session, run: &Run) -> Result<Session, DbError> {
    if session.status.is_busy() {
        return Err(StoreError::Busy { session: session.id, run: session.last_run_id }.into());
    }
    let session = Session {
        status: Status::of_new(run),
        last_run_id: run.id.clone(),
        updated_at: run.created_at,
        ..session
    };
    write::sessions(connection, &[&session]).await?;
    Ok(session)
}
