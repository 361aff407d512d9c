//! Creates runs.

use accord_domain::event::Body;
use accord_domain::id::{RunId, SessionId};
use accord_domain::input::InputSummary;
use accord_domain::input_request::InputRequest;
use accord_domain::quarantine::Kind as Work;
use accord_domain::run::{Kind, Run, change};
use accord_domain::session::ExecutionMode::AsyncCallback;
use accord_domain::session::{Session, Status as SessionStatus};
use accord_domain::step::{self as domain_step, Step};
use accord_store::{Idempotency, Notice, SessionChoice, StoreError, Submission, Submitted};
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::DbResult;
use crate::rows::{assignment, event, idempotency, run, session, step, summary};
use crate::value::micros;
use crate::writer::Write;
use crate::{callbacks, inputs, quarantine, sessions};

/// A submission whose documents are hashed.
pub(crate) struct Prepared {
    run: Run,
    session: SessionChoice,
    assignment: assignment::Prepared,
    input: InputSummary,
    delivers: Vec<RunId>,
    steps: Vec<domain_step::Body>,
    asks: Option<Box<InputRequest>>,
    idempotency: Option<Idempotency>,
}

impl From<Submission> for Prepared {
    fn from(submission: Submission) -> Self {
        Self {
            input: submission.input(),
            run: submission.run,
            session: submission.session,
            assignment: submission.assignment.into(),
            delivers: submission.delivers,
            steps: submission.steps,
            asks: submission.asks,
            idempotency: submission.idempotency,
        }
    }
}

pub(crate) fn submit(write: &mut Write<'_>, submission: Prepared) -> DbResult<Submitted> {
    let Prepared { run, session, assignment, input, delivers, steps, asks, idempotency } = submission;
    let connection = write.connection();
    if let Some(response) = idempotency::replay(connection, idempotency.as_ref())? {
        return Ok(Submitted::Replayed(response));
    }
    // Before the session is read: a second delivery finds the parent busy with the first one.
    let Some(children) = owed(connection, &run.session_id, &delivers)? else {
        return Ok(Submitted::AlreadyDelivered);
    };
    let (session_seq, session) = match session {
        SessionChoice::New(session) => (session::insert(connection, &session)?, *session),
        SessionChoice::Resume(id) => resume(connection, &id, &run)?,
    };
    let seq = run::insert(connection, &run, session_seq)?;
    assignment::insert(connection, seq, &assignment)?;
    summary::insert(connection, seq, &input)?;
    for (number, body) in (1..).zip(steps) {
        let step = Step { number, delivery: 0, at: run.created_at, body };
        step::insert(connection, seq, &step::Prepared::new(&step)?)?;
    }
    inputs::insert(connection, seq, asks.as_deref())?;
    for queued in change::created(&run, &session, asks.as_deref()) {
        let owner = queued.run_id.as_ref().map(|_| seq);
        let told = event::Prepared::new(&queued.body)?;
        event::insert(connection, micros(queued.at), session_seq, owner, &told)?;
    }
    deliver(connection, seq, session_seq, &run, children, run.created_at)?;
    if run.kind == Kind::ResumeSession {
        callbacks::let_go(connection, session_seq)?;
    }
    if let Some(parent) = session.parent_session_id.as_ref().filter(|_| run.execution_mode == AsyncCallback) {
        sessions::settle(connection, parent, run.created_at)?;
    }
    idempotency::keep(connection, idempotency.as_ref(), run.created_at)?;
    write.notify(Notice::Queued);
    write.notify(Notice::Events { session_id: session.id, run_id: Some(run.id.clone()) });
    Ok(Submitted::Created(Box::new(run)))
}

/// Continues the session with this run, unless another one is active.
fn resume(connection: &Connection, id: &SessionId, run: &Run) -> DbResult<(i64, Session)> {
    let (seq, session) = session::find(connection, id)?;
    if session.status.is_busy() {
        return Err(StoreError::Busy { session: session.id, run: session.last_run_id }.into());
    }
    let session = Session {
        status: SessionStatus::of_new(run),
        last_run_id: run.id.clone(),
        updated_at: run.created_at,
        ..session
    };
    session::update(connection, seq, &session)?;
    Ok((seq, session))
}

/// A pending callback: its row, and the child session.
pub(super) struct Owed {
    callback: i64,
    child: SessionId,
}

/// The callbacks to deliver to this session; `None` if one of them is no longer pending.
pub(super) fn owed(
    connection: &Connection,
    parent: &SessionId,
    delivers: &[RunId],
) -> DbResult<Option<Vec<Owed>>> {
    let sql = "SELECT c.seq, s.id FROM runs r JOIN callbacks c ON c.run = r.seq JOIN sessions s ON s.seq = r.session \
               JOIN sessions p ON p.seq = c.parent WHERE r.id = ?1 AND p.id = ?2 AND c.delivered_by IS NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let mut all = Vec::with_capacity(delivers.len());
    for run_id in delivers {
        let values = [run_id.as_str(), parent.as_str()];
        let found: Option<(i64, String)> =
            statement.query_row(values, |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((callback, child)) = found else { return Ok(None) };
        all.push(Owed { callback, child: SessionId::try_from(child)? });
    }
    Ok(Some(all))
}

/// Marks callbacks as delivered by this run.
pub(super) fn deliver(
    connection: &Connection,
    seq: i64,
    session_seq: i64,
    run: &Run,
    owed: Vec<Owed>,
    now: Timestamp,
) -> DbResult<()> {
    if owed.is_empty() {
        return Ok(());
    }
    quarantine::clear(connection, Work::Callback, run.session_id.as_str())?;
    let mut statement = connection.prepare_cached("UPDATE callbacks SET delivered_by = ?2 WHERE seq = ?1")?;
    let mut children = Vec::with_capacity(owed.len());
    for Owed { callback, child } in owed {
        statement.execute(params![callback, seq])?;
        if !children.contains(&child) {
            children.push(child);
        }
    }
    let body = Body::CallbackDelivered { children, resumed_by: run.id.clone() };
    let told = event::Prepared::new(&body)?;
    event::insert(connection, micros(now), session_seq, Some(seq), &told)
}
