//! What the holder of a run tells: it begins, reports, and finishes. Many of them share a transaction.

use std::collections::HashSet;
use std::io::{self, Write};

use accord_domain::attempt::Attempt;
use accord_domain::event::{Body, NewEvent};
use accord_domain::id::RunId;
use accord_domain::run::change::{self, Change, ChildReports, Children, End, Refused};
use accord_domain::run::{Holder, Run, Status};
use accord_domain::session::Session;
use accord_domain::step::Step as RunStep;
use accord_store::{Finish, Last, Report, StoreError};
use jiff::Timestamp;
use serde::Serialize;
use sqlx::PgConnection;

use super::attempts::{self, Judged};
use super::steps;
use crate::callbacks::with_children_to_come;
use crate::error::DbError;
use crate::facts;
use crate::group::{Job, Locks, Look, Outcome};
use crate::load::{self, Pair, Step};
use crate::notices::Announcement;
use crate::write::{self, Beside};

/// The runner of a run tells something.
#[derive(Debug)]
pub(crate) enum Work {
    Start(Holder, Timestamp),
    Report(Box<Report>),
    /// The end, and what happened before it.
    Finish(Box<(Last, Finish)>),
}

/// The run afterwards, and the numbers of the attempts that were new.
#[derive(Debug)]
pub(crate) struct Worked {
    pub(super) run: Run,
    pub(super) judged: Vec<u32>,
}

impl Work {
    fn holder(&self) -> &Holder {
        match self {
            Self::Start(holder, _) => holder,
            Self::Report(report) => &report.holder,
            Self::Finish(ended) => &ended.1.holder,
        }
    }

    /// The change of the run. A report changes nothing of it, and is only for its holder.
    fn decide(&self, run: Run, session: Session, children: Children) -> Result<Change, Refused> {
        match self {
            Self::Start(holder, now) => change::start(run, session, holder, *now),
            Self::Report(report) => {
                change::held(&run, &report.holder)?;
                let (events, child_reports) = (Vec::new(), ChildReports::Unchanged);
                Ok(Change { run, session, events, callback: None, child_reports })
            }
            Self::Finish(ended) => end(&ended.1, run, session, children),
        }
    }

    /// What it says of the run besides its end.
    fn told(&self) -> Option<Told<'_>> {
        match self {
            Self::Start(..) => None,
            Self::Report(report) => {
                let Report { events, attempts, steps, now, .. } = report.as_ref();
                Some(Told { events, attempts, steps, at: *now })
            }
            Self::Finish(ended) => {
                let (Last { events, attempts, steps }, finish) = ended.as_ref();
                Some(Told { events, attempts, steps, at: finish.now })
            }
        }
    }
}

struct Told<'a> {
    events: &'a [Body],
    attempts: &'a [Attempt],
    steps: &'a [RunStep],
    at: Timestamp,
}

impl Told<'_> {
    fn bytes(&self) -> usize {
        let steps: Vec<_> = self.steps.iter().map(|step| &step.body).collect();
        json_bytes(&(self.events, self.attempts, steps))
    }
}

fn end(finish: &Finish, run: Run, session: Session, children: Children) -> Result<Change, Refused> {
    let end = change::end_of(&run, finish.end.clone());
    let run = run.asked_again(finish.retries);
    let mut ended = change::finish(run, session, &finish.holder, end, finish.usage, children, finish.now)?;
    if let Some(affinity) = &finish.affinity {
        ended.session.affinity = affinity.clone();
    }
    Ok(if finish.conversation.is_some() { ended.with_conversation_kept() } else { ended })
}

impl Job for Work {
    type Answer = Worked;
    type Seen = ();

    fn bytes(&self) -> usize {
        let conversation = match self {
            Self::Finish(ended) => ended.1.conversation.as_ref().map_or(0, String::len),
            Self::Start(..) | Self::Report(_) => 0,
        };
        conversation + self.told().map_or(0, |told| told.bytes())
    }

    fn key(&self) -> Option<&str> {
        Some(self.holder().run_id.as_str())
    }

    async fn look(_: &mut PgConnection, _: &[&Self]) -> Result<Look<(), Worked>, DbError> {
        Ok(Look::Seen(()))
    }

    async fn together(
        connection: &mut PgConnection,
        jobs: &[&Self],
        (): (),
        locks: Locks,
    ) -> Result<(Vec<Outcome<Worked>>, Announcement), DbError> {
        let pairs = pairs(connection, jobs, locks).await?;
        let decided = decide(connection, jobs, pairs, locks).await?;
        let mut done = Done::default();
        let mut outcomes = Vec::with_capacity(jobs.len());
        for (job, decided) in jobs.iter().zip(decided) {
            outcomes.push(match decided {
                Decided::Step(step) => {
                    done.jobs.push(job);
                    done.steps.push(*step);
                    None
                }
                Decided::Refused(error) => Some(Outcome::Done(Err(error))),
                Decided::Apart => Some(Outcome::Apart),
            });
        }
        let judged = done.write(connection, locks).await?;
        let announcement = done.announcement(!judged.is_empty());
        let mut runs = done.steps.into_iter().map(|step| step.change.run);
        let outcomes = outcomes.into_iter().map(|outcome| {
            outcome.or_else(|| {
                let run = runs.next()?;
                let judged = judged_of(&run.id, &judged);
                Some(Outcome::Done(Ok(Worked { run, judged })))
            })
        });
        Ok((outcomes.map(|outcome| outcome.unwrap_or(Outcome::Apart)).collect(), announcement))
    }
}

/// What was decided about a job.
enum Decided {
    Step(Box<Step>),
    Refused(StoreError),
    Apart,
}

/// The runs of these jobs with their sessions, in order; `None` for those that others have locked, or whose session is in the
/// group already.
async fn pairs(
    connection: &mut PgConnection,
    jobs: &[&Work],
    locks: Locks,
) -> Result<Vec<Option<Pair>>, DbError> {
    let mut found = Vec::with_capacity(jobs.len());
    if locks == Locks::Wait {
        for job in jobs {
            found.push(Some(load::pair(connection, &job.holder().run_id).await?));
        }
        return Ok(found);
    }
    let ids: Vec<&str> = jobs.iter().map(|job| job.holder().run_id.as_str()).collect();
    let mut pairs = load::pairs(connection, &ids).await?;
    let mut sessions = HashSet::new();
    for id in ids {
        found.push(pairs.remove(id).filter(|pair| sessions.insert(pair.session.id.clone())));
    }
    Ok(found)
}

async fn decide(
    connection: &mut PgConnection,
    jobs: &[&Work],
    pairs: Vec<Option<Pair>>,
    locks: Locks,
) -> Result<Vec<Decided>, DbError> {
    // Only a completed session can be idle, because of its children.
    let mut completed = Vec::new();
    let mut observations = Vec::new();
    for (job, pair) in jobs.iter().zip(&pairs) {
        if let (Work::Finish(ended), Some(pair)) = (job, pair) {
            let finish = &ended.1;
            if matches!(finish.end, End::Completed(_)) {
                completed.push(pair.session.id.as_str());
            }
            observations.extend(&finish.observations);
        }
    }
    let parents = with_children_to_come(connection, &completed).await?;
    // Whoever writes a fact waits for others that write it.
    let news = match locks {
        Locks::Skip => facts::are_news(connection, &observations).await?,
        Locks::Wait => Vec::new(),
    };
    let mut news = news.into_iter();
    let mut decided = Vec::with_capacity(jobs.len());
    for (job, pair) in jobs.iter().zip(pairs) {
        let Some(pair) = pair else {
            decided.push(Decided::Apart);
            continue;
        };
        let seen = if let Work::Finish(ended) = job { ended.1.observations.len() } else { 0 };
        // Every one is taken, so that those that follow are of the next job.
        let own: Vec<bool> = news.by_ref().take(seen).collect();
        if own.contains(&true) {
            decided.push(Decided::Apart);
            continue;
        }
        let children = match parents.contains(pair.session.id.as_str()) {
            true => Children::WillCallBack,
            false => Children::Quiet,
        };
        decided.push(match pair.decide(|run, session| job.decide(run, session, children)) {
            Ok(step) => Decided::Step(Box::new(step)),
            Err(refused) => Decided::Refused(refused.into()),
        });
    }
    Ok(decided)
}

/// The jobs that are carried out, with their decisions.
#[derive(Default)]
struct Done<'a> {
    jobs: Vec<&'a Work>,
    steps: Vec<Step>,
}

impl Done<'_> {
    fn pairs(&self) -> impl Iterator<Item = (&Work, &Step)> {
        self.jobs.iter().copied().zip(&self.steps)
    }

    /// Writes everything, and gives the events of the attempts that were new.
    async fn write(&self, connection: &mut PgConnection, locks: Locks) -> Result<Vec<NewEvent>, DbError> {
        let (mut outcomes, mut conversations) = (Vec::new(), Vec::new());
        let (mut attempts, mut steps, mut events) =
            (Vec::new(), Vec::<(&RunId, &RunStep)>::new(), Vec::new());
        for (job, step) in self.pairs() {
            let run = &step.change.run;
            if let Some(Told { events: told, attempts: judged, steps: done, at }) = job.told() {
                events.extend(told.iter().map(|body| event_of(run, at, body)));
                attempts.extend(judged.iter().map(|attempt| Judged { run, attempt, at }));
                steps.extend(done.iter().map(|step| (&run.id, step)));
            }
            if let Work::Finish(ended) = job {
                let finish = &ended.1;
                // A stop was acknowledged: there is no result any more.
                if let End::Completed(outcome) = &finish.end
                    && run.status == Status::Completed
                {
                    outcomes.push((&run.id, outcome));
                }
                conversations.extend(finish.conversation.as_deref().map(|body| (&run.session_id, body)));
            }
        }
        let judged = attempts::insert(connection, &attempts).await?;
        steps::insert(connection, &steps).await?;
        events.extend(judged.iter().cloned());
        write::all(connection, Beside { events, outcomes, conversations }, &self.steps).await?;
        if locks == Locks::Wait {
            // Last, because many runs learn the same at the same time and wait for each other here.
            for job in &self.jobs {
                if let Work::Finish(ended) = job {
                    facts::write(connection, &ended.1.observations).await?;
                }
            }
        }
        Ok(judged)
    }

    fn announcement(&self, judged: bool) -> Announcement {
        let reported = self.jobs.iter().any(|job| job.told().is_some_and(|told| !told.events.is_empty()));
        let mut announcement = Announcement::of(&self.steps);
        if judged || reported {
            announcement.join(Announcement::events());
        }
        announcement
    }
}

/// The length of a value as JSON.
fn json_bytes(value: &impl Serialize) -> usize {
    struct Count(usize);
    impl Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // What cannot be written as JSON fails where it is written.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

fn event_of(run: &Run, at: Timestamp, body: &Body) -> NewEvent {
    NewEvent { at, session_id: run.session_id.clone(), run_id: Some(run.id.clone()), body: body.clone() }
}

fn judged_of(run_id: &RunId, events: &[NewEvent]) -> Vec<u32> {
    let own = events.iter().filter(|event| event.run_id.as_ref() == Some(run_id));
    let numbers = own.filter_map(|event| match &event.body {
        Body::AttemptJudged { attempt } => Some(attempt.number),
        _ => None,
    });
    numbers.collect()
}
