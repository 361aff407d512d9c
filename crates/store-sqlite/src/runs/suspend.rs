//! Runs that wait without a runner.

use accord_domain::run::{Run, change};
use accord_domain::step::Step;
use accord_store::{Suspend, Wake};

use super::submit::{deliver, owed};
use crate::change::{ChangedRows, apply};
use crate::error::DbResult;
use crate::inputs;
use crate::rows::{run, session, step};
use crate::writer::Write;

pub(super) fn suspend(write: &mut Write<'_>, suspend: &Suspend) -> DbResult<Run> {
    let connection = write.connection();
    let loaded = run::load(connection, &suspend.holder.run_id)?;
    let changed_rows = ChangedRows::of(&loaded);
    let demands = suspend.demands(&loaded.run);
    let run = Run { demands, ..loaded.run.asked_again(suspend.retries) };
    let suspended = change::suspend(
        run,
        loaded.session,
        &suspend.holder,
        suspend.suspension.clone(),
        suspend.usage,
        suspend.wait,
        suspend.now,
    )?;
    if let Some(conversation) = &suspend.conversation {
        session::set_conversation(connection, changed_rows.session, conversation)?;
    }
    if let Some(affinity) = &suspend.affinity {
        session::set_affinity(connection, changed_rows.session, affinity)?;
    }
    if suspended.run.status.is_suspended() {
        inputs::insert(connection, changed_rows.run, &suspend.inputs)?;
    }
    apply(write, &changed_rows, suspended)
}

pub(super) fn wake(write: &mut Write<'_>, wake: Wake) -> DbResult<Option<Run>> {
    let Wake { run_id, attempt, reason, step: body, delivers, now } = wake;
    let connection = write.connection();
    let loaded = run::load(connection, &run_id)?;
    // Before the status is read: a second wake finds the run queued by the first.
    let Some(children) = owed(connection, &loaded.session.id, &delivers)? else { return Ok(None) };
    let changed_rows = ChangedRows::of(&loaded);
    let woken = change::wake(loaded.run, loaded.session, attempt, &reason, now)?;
    let number = step::next_number(connection, changed_rows.run)?;
    let next = step::Prepared::new(&Step { number, delivery: 0, at: now, body })?;
    step::insert(connection, changed_rows.run, &next)?;
    let run = apply(write, &changed_rows, woken)?;
    deliver(write.connection(), changed_rows.run, changed_rows.session, &run, children, now)?;
    Ok(Some(run))
}
