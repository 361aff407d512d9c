//! Hands pending runs to runners.
//!
//! Requirements are matched in code, so the queue is read in pages without locks, and the first
//! matching runs that are not locked are claimed. Concurrent claims skip each other's runs.

use std::collections::{HashMap, HashSet};

use accord_domain::demands::Demands;
use accord_domain::id::LeaseId;
use accord_domain::run::Assignment;
use accord_domain::runner::Profile;
use accord_domain::step::Step as RunStep;
use accord_store::{Claim, Claimed, MOST_CLAIMED_BYTES};
use sqlx::{PgConnection, Row};

use super::steps as run_steps;
use crate::convert::from_json;
use crate::error::DbError;
use crate::group::{Job, Locks, Look, Outcome};
use crate::load::{Pair, Step};
use crate::notices::Announcement;
use crate::rows::{self, assignment_columns, assignment_documents, run_columns, session_columns};
use crate::write;

/// The first page is for the usual case, in which the first in the queue can be taken.
const FIRST_PAGE: usize = 32;

/// Later pages are for queues full of runs that others must do; an entry is some hundred bytes.
const LATER_PAGE: usize = 1000;

/// Where the next page of the queue begins: the rank is the negated priority.
#[derive(Clone, Copy)]
struct QueuePosition {
    rank: i64,
    created_at: i64,
    number: i64,
}

impl QueuePosition {
    const START: Self = Self { rank: i64::MIN, created_at: i64::MIN, number: i64::MIN };
}

/// What a runner can take of a part of the queue.
#[derive(Default)]
struct Candidates {
    /// In order.
    ids: Vec<String>,
    /// Where the rest begins, if there is one.
    rest: Option<QueuePosition>,
}

/// Which demands this runner meets. Most runs in a queue demand the same few things.
struct Matcher<'a> {
    profile: &'a Profile,
    known: HashMap<String, bool>,
}

impl<'a> Matcher<'a> {
    fn new(profile: &'a Profile) -> Self {
        Self { profile, known: HashMap::new() }
    }

    fn meets(&mut self, demands: &str) -> Result<bool, DbError> {
        if let Some(known) = self.known.get(demands) {
            return Ok(*known);
        }
        let meets = self.profile.meets(&from_json::<Demands>(demands)?);
        self.known.insert(demands.to_owned(), meets);
        Ok(meets)
    }

    /// The demands that were seen and are not met.
    fn unmet(&self) -> Vec<String> {
        self.known.iter().filter(|(_, meets)| !**meets).map(|(demands, _)| demands.clone()).collect()
    }
}

/// The part of the queue that is read before a transaction begins, with what each claim knows of it.
pub(crate) struct Seen {
    pages: Vec<Candidates>,
}

impl Job for Claim {
    type Answer = Vec<Claimed>;
    type Seen = Seen;

    fn bytes(&self) -> usize {
        0
    }

    fn key(&self) -> Option<&str> {
        None
    }

    /// Most questions find nothing: they cost one statement and no transaction.
    async fn look(
        connection: &mut PgConnection,
        jobs: &[&Self],
    ) -> Result<Look<Seen, Vec<Claimed>>, DbError> {
        let wanted: usize = jobs.iter().map(|claim| claim.leases.len()).sum();
        let size = FIRST_PAGE.max(wanted.saturating_mul(2));
        let mut matchers: Vec<_> = jobs.iter().map(|claim| Matcher::new(&claim.profile)).collect();
        let page = page(connection, &[], &QueuePosition::START, size).await?;
        let pages =
            matchers.iter_mut().map(|matcher| page.candidates(matcher)).collect::<Result<Vec<_>, _>>()?;
        match pages.iter().all(|page| page.ids.is_empty() && page.rest.is_none()) {
            true => Ok(Look::Answered(jobs.iter().map(|_| Vec::new()).collect())),
            false => Ok(Look::Seen(Seen { pages })),
        }
    }

    async fn together(
        connection: &mut PgConnection,
        jobs: &[&Self],
        seen: Seen,
        locks: Locks,
    ) -> Result<(Vec<Outcome<Vec<Claimed>>>, Announcement), DbError> {
        if let (Locks::Wait, [claim]) = (locks, jobs) {
            let page = seen.pages.into_iter().next().unwrap_or_default();
            let (claimed, announcement) = hand_out(connection, claim, page).await?;
            return Ok((vec![Outcome::Done(Ok(claimed))], announcement));
        }
        let (found, taken) = take_for_all(connection, jobs, &seen.pages).await?;
        let (claimed, announcement) = write_all(connection, found).await?;
        let mut claimed = claimed.into_iter();
        let outcome = |taken| match taken {
            Taken::Some(count) => Outcome::Done(Ok(claimed.by_ref().take(count).collect())),
            Taken::Unknown => Outcome::Apart,
        };
        Ok((taken.into_iter().map(outcome).collect(), announcement))
    }
}

/// What a claim got of a group.
enum Taken {
    Some(usize),
    /// Nothing, and there may be something behind what the group has looked at.
    Unknown,
}

/// Takes runs for several claims, in their order.
async fn take_for_all(
    connection: &mut PgConnection,
    claims: &[&Claim],
    pages: &[Candidates],
) -> Result<(Vec<Found>, Vec<Taken>), DbError> {
    let is_short =
        |claim: &Claim, page: &Candidates| page.rest.is_some() && page.ids.len() < claim.leases.len();
    let (mut ids, mut most) = (HashSet::new(), 0);
    for (claim, page) in claims.iter().zip(pages).filter(|(claim, page)| !is_short(claim, page)) {
        ids.extend(page.ids.iter().map(String::as_str));
        most += claim.leases.len();
    }
    let most_bytes = MOST_CLAIMED_BYTES.saturating_mul(claims.len());
    let free = free(connection, &ids.into_iter().collect::<Vec<_>>(), most, most_bytes).await?;
    let is_all = free.len() < most && free.iter().map(|free| free.bytes).sum::<usize>() < most_bytes;
    let mut free: HashMap<String, Free> =
        free.into_iter().map(|free| (free.pair.run.id.to_string(), free)).collect();
    let (mut found, mut taken) = (Vec::new(), Vec::new());
    for (claim, page) in claims.iter().zip(pages) {
        if is_short(claim, page) {
            taken.push(Taken::Unknown);
            continue;
        }
        let (before, mut bytes) = (found.len(), 0);
        let mut leases = claim.leases.iter();
        for id in &page.ids {
            if leases.len() == 0 || bytes >= MOST_CLAIMED_BYTES {
                break;
            }
            let Some(free) = free.remove(id) else { continue };
            let Some(lease) = leases.next() else { break };
            bytes += free.bytes;
            found.push(free.claimed(claim, lease)?);
        }
        let is_known = page.ids.is_empty() || is_all;
        taken.push(match found.len() - before {
            0 if page.rest.is_some() || !is_known => Taken::Unknown,
            count => Taken::Some(count),
        });
    }
    Ok((found, taken))
}

/// Writes the claims.
async fn write_all(
    connection: &mut PgConnection,
    found: Vec<Found>,
) -> Result<(Vec<Claimed>, Announcement), DbError> {
    let (steps, carried): (Vec<Step>, Vec<Carried>) =
        found.into_iter().map(|found| (found.step, found.carried)).unzip();
    write::steps(connection, Vec::new(), &steps).await?;
    let announcement = Announcement::of(&steps);
    let claimed = steps.into_iter().zip(carried).map(|(step, carried)| Claimed {
        run: step.change.run,
        session: step.change.session,
        assignment: carried.assignment,
        conversation: carried.conversation,
        steps: carried.steps,
    });
    Ok((claimed.collect(), announcement))
}

/// Goes through the queue from this page on, until there are enough or no more.
async fn hand_out(
    connection: &mut PgConnection,
    claim: &Claim,
    mut page: Candidates,
) -> Result<(Vec<Claimed>, Announcement), DbError> {
    let mut matcher = Matcher::new(&claim.profile);
    let mut leases = claim.leases.iter();
    let (mut found, mut bytes) = (Vec::new(), 0);
    loop {
        let ids: Vec<&str> = page.ids.iter().map(String::as_str).collect();
        let free = free(connection, &ids, leases.len(), MOST_CLAIMED_BYTES.saturating_sub(bytes)).await?;
        for (free, lease) in free.into_iter().zip(leases.by_ref()) {
            bytes += free.bytes;
            found.push(free.claimed(claim, lease)?);
        }
        match page.rest {
            Some(place) if found.len() < claim.leases.len() && bytes < MOST_CLAIMED_BYTES => {
                let next = self::page(connection, &matcher.unmet(), &place, LATER_PAGE).await?;
                page = next.candidates(&mut matcher)?;
            }
            _ => break,
        }
    }
    write_all(connection, found).await
}

/// What the runner is known not to meet stays where it is: a queue full of that is read by PostgreSQL alone.
const QUEUE: &str = "
SELECT r.id, r.demands, -(r.priority::bigint) AS rank, r.created_at, r.number FROM runs r
WHERE r.status = 'pending' AND (-(r.priority::bigint), r.created_at, r.number) > ($1, $2, $3)
AND r.demands <> ALL($5)
ORDER BY -(r.priority::bigint), r.created_at, r.number LIMIT $4";

/// A part of the queue.
struct Page {
    /// Ids and demands, in order.
    runs: Vec<(String, String)>,
    /// Where the rest begins, if there is one.
    rest: Option<QueuePosition>,
}

impl Page {
    fn candidates(&self, matcher: &mut Matcher<'_>) -> Result<Candidates, DbError> {
        let mut ids = Vec::new();
        for (id, demands) in &self.runs {
            if matcher.meets(demands)? {
                ids.push(id.clone());
            }
        }
        Ok(Candidates { ids, rest: self.rest })
    }
}

async fn page(
    connection: &mut PgConnection,
    unmet: &[String],
    place: &QueuePosition,
    size: usize,
) -> Result<Page, DbError> {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let query = sqlx::query(QUEUE).bind(place.rank).bind(place.created_at).bind(place.number).bind(size);
    let rows = query.bind(unmet).fetch_all(connection).await?;
    let mut runs = Vec::with_capacity(rows.len());
    for row in &rows {
        runs.push((row.try_get("id")?, row.try_get("demands")?));
    }
    let full = i64::try_from(rows.len()).is_ok_and(|rows| rows == size);
    let rest = match rows.last().filter(|_| full) {
        Some(row) => Some(QueuePosition {
            rank: row.try_get("rank")?,
            created_at: row.try_get("created_at")?,
            number: row.try_get("number")?,
        }),
        None => None,
    };
    Ok(Page { runs, rest })
}

/// Locks runs, and reads what their claims carry as long as it is not too much: the size is known without reading it.
const TAKE: &str = concat!(
    "WITH taken AS MATERIALIZED (SELECT ",
    run_columns!(),
    ", ",
    session_columns!(),
    " FROM runs r JOIN sessions s ON s.id = r.session_id WHERE r.id = ANY($1) AND r.status = 'pending' \
     ORDER BY -(r.priority::bigint), r.created_at, r.number LIMIT $2 FOR NO KEY UPDATE OF s, r SKIP LOCKED\
     ), placed AS (SELECT r.*, row_number() OVER () AS place FROM taken r\
     ), sized AS (SELECT r.*, octet_length(b.body)::bigint + octet_length(a.parameters) + coalesce(octet_length(c.body), 0) \
         + coalesce(octet_length(a.retry_prompt), 0) + coalesce(octet_length(a.input), 0) + coalesce(octet_length(v.body), 0) \
         + (SELECT coalesce(sum(octet_length(t.body)), 0)::bigint FROM ",
    run_steps::current!("r.id"),
    ") AS bytes FROM placed r JOIN assignments a ON a.run_id = r.id ",
    assignment_documents!(),
    " LEFT JOIN conversations v ON v.session_id = r.session_id\
     ) SELECT r.*, ",
    assignment_columns!(),
    ", v.body AS conversation, t.* \
     FROM (SELECT z.*, sum(z.bytes) OVER (ORDER BY z.place) - z.bytes AS before FROM sized z) r \
     JOIN assignments a ON a.run_id = r.id ",
    assignment_documents!(),
    " LEFT JOIN conversations v ON v.session_id = r.session_id \
     CROSS JOIN LATERAL (SELECT array_agg(t.number ORDER BY t.number) AS step_numbers, \
         array_agg(t.delivery ORDER BY t.number) AS step_deliveries, array_agg(t.at ORDER BY t.number) AS step_times, \
         array_agg(t.body ORDER BY t.number) AS step_bodies FROM ",
    run_steps::current!("r.id"),
    ") t WHERE r.before < $3 ORDER BY r.place"
);

/// A pending run, locked.
struct Free {
    pair: Pair,
    carried: Carried,
    bytes: usize,
}

/// What a claim carries.
struct Carried {
    assignment: Assignment,
    conversation: Option<String>,
    steps: Vec<RunStep>,
}

/// A run that a claim gets.
struct Found {
    step: Step,
    carried: Carried,
}

impl Free {
    fn claimed(self, claim: &Claim, lease: &LeaseId) -> Result<Found, DbError> {
        let decide = |run, session| claim.change(run, session, lease.clone());
        Ok(Found { step: self.pair.decide(decide)?, carried: self.carried })
    }
}

/// Locks at most this many of these runs: those that are pending and that nobody else has locked, in the order of the queue. The first
/// ones that together carry so many bytes are read.
async fn free(
    connection: &mut PgConnection,
    ids: &[&str],
    most: usize,
    most_bytes: usize,
) -> Result<Vec<Free>, DbError> {
    if ids.is_empty() || most == 0 {
        return Ok(Vec::new());
    }
    let bound = |bound: usize| i64::try_from(bound).unwrap_or(i64::MAX);
    let query = sqlx::query(TAKE).bind(ids).bind(bound(most)).bind(bound(most_bytes));
    let rows = query.fetch_all(connection).await?;
    let mut free = Vec::with_capacity(rows.len());
    for row in &rows {
        let carried = Carried {
            assignment: rows::assignment(row)?,
            conversation: row.try_get("conversation")?,
            steps: run_steps::gathered(row)?,
        };
        let bytes: i64 = row.try_get("bytes")?;
        free.push(Free { pair: Pair::of(row)?, carried, bytes: usize::try_from(bytes).unwrap_or_default() });
    }
    Ok(free)
}
