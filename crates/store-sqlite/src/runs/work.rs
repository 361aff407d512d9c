//! Reports of the holder of a run.

use accord_domain::run::change::{self, Children, End};
use accord_domain::run::{Holder, Run};
use accord_store::{AskAgain, Finish, Finished, Last, Notice};
use jiff::Timestamp;

use crate::callbacks::still_to_come;
use crate::change::{ChangedRows, apply};
use crate::error::DbResult;
use crate::facts;
use crate::rows::run::Loaded;
use crate::rows::{assignment, attempt, event, outcome, run, session, step};
use crate::value::micros;
use crate::writer::Write;

/// A holder's report, ready to be written.
pub(super) struct PreparedReport {
    pub(super) events: Vec<event::Prepared>,
    pub(super) attempts: Vec<attempt::Prepared>,
    pub(super) steps: Vec<step::Prepared>,
}

impl PreparedReport {
    pub(super) fn new(last: Last) -> DbResult<Self> {
        let Last { events, attempts, steps } = last;
        Ok(Self {
            events: events.iter().map(event::Prepared::new).collect::<Result<_, _>>()?,
            attempts: attempts.into_iter().map(attempt::Prepared::new).collect::<Result<_, _>>()?,
            steps: steps.iter().map(step::Prepared::new).collect::<Result<_, _>>()?,
        })
    }

    /// Writes it, and gives the numbers of the attempts that were new.
    fn write(&self, write: &mut Write<'_>, loaded: &Loaded, now: Timestamp) -> DbResult<Vec<u32>> {
        let connection = write.connection();
        for event in &self.events {
            event::insert(connection, micros(now), loaded.session_seq, Some(loaded.seq), event)?;
        }
        for step in &self.steps {
            step::insert(connection, loaded.seq, step)?;
        }
        let mut written = Vec::with_capacity(self.attempts.len());
        for judged in &self.attempts {
            if attempt::insert(connection, loaded.session_seq, loaded.seq, now, judged)? {
                written.push(judged.number());
            }
        }
        if !self.events.is_empty() || !written.is_empty() {
            let (session_id, run_id) = (loaded.session.id.clone(), Some(loaded.run.id.clone()));
            write.notify(Notice::Events { session_id, run_id });
        }
        Ok(written)
    }
}

pub(super) fn report(
    write: &mut Write<'_>,
    holder: &Holder,
    report: &PreparedReport,
    now: Timestamp,
) -> DbResult<Vec<u32>> {
    let loaded = run::load(write.connection(), &holder.run_id)?;
    change::held(&loaded.run, holder)?;
    report.write(write, &loaded, now)
}

pub(super) fn finish(write: &mut Write<'_>, last: &PreparedReport, finish: Finish) -> DbResult<Finished> {
    let Finish { holder, end, usage, retries, conversation, affinity, observations, now } = finish;
    let loaded = run::load(write.connection(), &holder.run_id)?;
    change::held(&loaded.run, &holder)?;
    let judged = last.write(write, &loaded, now)?;
    let connection = write.connection();
    let changed_rows = ChangedRows::of(&loaded);
    let end = change::end_of(&loaded.run, end);
    let mut children = Children::Quiet;
    if let End::Completed(result) = &end {
        outcome::insert(connection, changed_rows.run, result)?;
        children = still_to_come(connection, changed_rows.session, &loaded.session.id)?;
    }
    if let Some(conversation) = &conversation {
        session::set_conversation(connection, changed_rows.session, conversation)?;
    }
    if let Some(affinity) = affinity {
        session::set_affinity(connection, changed_rows.session, &affinity)?;
    }
    for observation in &observations {
        facts::learn(connection, observation)?;
    }
    let run = loaded.run.asked_again(retries);
    let ended = change::finish(run, loaded.session, &holder, end, usage, children, now)?;
    let ended = if conversation.is_some() { ended.with_conversation_kept() } else { ended };
    Ok(Finished { run: apply(write, &changed_rows, ended)?, judged })
}

pub(super) fn ask_again(
    write: &mut Write<'_>,
    again: &AskAgain,
    judged: &attempt::Prepared,
) -> DbResult<Run> {
    let connection = write.connection();
    let loaded = run::load(connection, &again.holder.run_id)?;
    change::held(&loaded.run, &again.holder)?;
    let changed_rows = ChangedRows::of(&loaded);
    attempt::insert(connection, changed_rows.session, changed_rows.run, again.now, judged)?;
    assignment::set_retry_prompt(connection, changed_rows.run, &again.prompt)?;
    if let Some(conversation) = &again.conversation {
        session::set_conversation(connection, changed_rows.session, conversation)?;
    }
    let asked = change::ask_again(loaded.run, loaded.session, &again.holder, again.usage, again.now)?;
    apply(
        write,
        &changed_rows,
        if again.conversation.is_some() { asked.with_conversation_kept() } else { asked },
    )
}
