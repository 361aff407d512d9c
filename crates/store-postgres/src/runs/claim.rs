//! Hands pending runs to runners.
//!
//! Requirements are matched in code, so the queue is read in pages without locks, and the first
//! matching runs that are not locked are claimed. Concurrent claims skip each other's runs.

use std::collections::HashMap;

use accord_domain::demands::Demands;
use accord_domain::id::LeaseId;
use accord_domain::run::change;
use accord_domain::runner::Profile;
use accord_store::{Claim, Claimed, MOST_CLAIMED_BYTES};
use sqlx::{PgConnection, PgExecutor, Row};

use super::{documents, steps as run_steps};
use crate::convert::from_json;
use crate::error::DbError;
use crate::load::{Pair, Step};
use crate::notices::Announcement;
use crate::rows::{run_columns, session_columns};
use crate::store::{PostgresStore, conclude};
use crate::write;

/// The first page is for the usual case, in which the first in the queue can be taken.
const FIRST_PAGE: usize = 32;

/// Later pages are for queues full of runs that others must do; an entry is some hundred bytes.
const LATER_PAGE: usize = 1000;

/// Where the next page of the queue begins: the rank is the negated priority.
struct QueuePosition {
    rank: i64,
    created_at: i64,
    number: i64,
}

/// A part of the queue.
struct Candidates {
    /// Those that match, in order.
    ids: Vec<String>,
    /// Where the rest begins, if there is one.
    rest: Option<QueuePosition>,
}

/// Which demands this runner meets. Most runs in a queue demand the same few things.
struct Matcher<'a> {
    profile: &'a Profile,
    known: HashMap<String, bool>,
}

impl Matcher<'_> {
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

impl PostgresStore {
    pub(super) async fn claim(&self, claim: &Claim) -> Result<Vec<Claimed>, DbError> {
        let mut matcher = Matcher { profile: &claim.profile, known: HashMap::new() };
        let start = QueuePosition { rank: i64::MIN, created_at: i64::MIN, number: i64::MIN };
        let wanted = claim.leases.len();
        if wanted == 0 {
            return Ok(Vec::new());
        }
        // Most questions find nothing: they cost one statement and no transaction.
        let size = FIRST_PAGE.max(wanted.saturating_mul(2));
        let page = candidates(&self.pool, &mut matcher, &start, size).await?;
        if page.ids.is_empty() && page.rest.is_none() {
            return Ok(Vec::new());
        }
        let mut transaction = self.begin().await?;
        let handed_out = hand_out(&mut transaction, claim, page, &mut matcher).await;
        let (claimed, announcement) = conclude(transaction, handed_out).await?;
        self.hub.announce(announcement);
        Ok(claimed)
    }
}

/// Goes through the queue from this page on, until there are enough or no more.
async fn hand_out(
    connection: &mut PgConnection,
    claim: &Claim,
    mut page: Candidates,
    matcher: &mut Matcher<'_>,
) -> Result<(Vec<Claimed>, Announcement), DbError> {
    let mut leases = claim.leases.iter();
    let (mut steps, mut bytes) = (Vec::new(), 0);
    loop {
        take(connection, claim, &page.ids, &mut leases, &mut steps, &mut bytes).await?;
        match page.rest {
            Some(place) if steps.len() < claim.leases.len() && bytes < MOST_CLAIMED_BYTES => {
                page = candidates(&mut *connection, matcher, &place, LATER_PAGE).await?;
            }
            _ => break,
        }
    }
    if steps.is_empty() {
        return Ok((Vec::new(), Announcement::default()));
    }
    write::steps(connection, Vec::new(), &steps).await?;
    let claimed = with_documents(connection, &steps).await?;
    Ok((claimed, Announcement::of(&steps)))
}

/// What the runner is known not to meet stays where it is: a queue full of that is read by PostgreSQL alone.
const QUEUE: &str = "
SELECT r.id, r.demands, -(r.priority::bigint) AS rank, r.created_at, r.number FROM runs r
WHERE r.status = 'pending' AND (-(r.priority::bigint), r.created_at, r.number) > ($1, $2, $3)
AND r.demands <> ALL($5)
ORDER BY -(r.priority::bigint), r.created_at, r.number LIMIT $4";

async fn candidates(
    executor: impl PgExecutor<'_>,
    matcher: &mut Matcher<'_>,
    place: &QueuePosition,
    size: usize,
) -> Result<Candidates, DbError> {
    let size = i64::try_from(size).unwrap_or(i64::MAX);
    let query = sqlx::query(QUEUE).bind(place.rank).bind(place.created_at).bind(place.number).bind(size);
    let rows = query.bind(matcher.unmet()).fetch_all(executor).await?;
    let mut ids = Vec::new();
    for row in &rows {
        if matcher.meets(row.try_get("demands")?)? {
            ids.push(row.try_get("id")?);
        }
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
    Ok(Candidates { ids, rest })
}

/// The size of what a run's claim carries is known without reading it.
const TAKE: &str = concat!(
    "SELECT ",
    run_columns!(),
    ", ",
    session_columns!(),
    ", (SELECT octet_length(b.body)::bigint + octet_length(a.parameters) + coalesce(octet_length(c.body), 0) \
         + coalesce(octet_length(a.retry_prompt), 0) + coalesce(octet_length(a.input), 0) \
         + coalesce(octet_length(v.body), 0) + (SELECT coalesce(sum(octet_length(t.body)), 0)::bigint FROM ",
    run_steps::current!("r.id"),
    ") \
        FROM assignments a JOIN documents b ON b.hash = a.blueprint LEFT JOIN documents c ON c.hash = a.contract \
        LEFT JOIN conversations v ON v.session_id = r.session_id WHERE a.run_id = r.id) AS bytes \
     FROM runs r JOIN sessions s ON s.id = r.session_id WHERE r.id = ANY($1) AND r.status = 'pending' \
     ORDER BY -(r.priority::bigint), r.created_at, r.number LIMIT $2 FOR NO KEY UPDATE OF s, r SKIP LOCKED"
);

/// Takes as many as there are leases left, and no more once they have enough bytes.
async fn take(
    connection: &mut PgConnection,
    claim: &Claim,
    ids: &[String],
    leases: &mut std::slice::Iter<'_, LeaseId>,
    steps: &mut Vec<Step>,
    bytes: &mut usize,
) -> Result<(), DbError> {
    if ids.is_empty() {
        return Ok(());
    }
    let most = i64::try_from(leases.len()).unwrap_or(i64::MAX);
    let rows = sqlx::query(TAKE).bind(ids).bind(most).fetch_all(connection).await?;
    for (row, lease) in rows.iter().zip(leases) {
        let step = Pair::of(row)?.decide(|run, session| {
            change::claim(run, session, &claim.runner_id, lease.clone(), claim.now, claim.lease)
        })?;
        steps.push(step);
        let own: Option<i64> = row.try_get("bytes")?;
        *bytes += own.and_then(|own| usize::try_from(own).ok()).unwrap_or_default();
        if *bytes >= MOST_CLAIMED_BYTES {
            break;
        }
    }
    Ok(())
}

async fn with_documents(connection: &mut PgConnection, steps: &[Step]) -> Result<Vec<Claimed>, DbError> {
    let ids: Vec<&str> = steps.iter().map(|step| step.change.run.id.as_str()).collect();
    let mut documents = documents::of_runs(&mut *connection, &ids).await?;
    let mut done = run_steps::current_of(connection, &ids).await?;
    let mut claimed = Vec::with_capacity(steps.len());
    for step in steps {
        let change = &step.change;
        let found = documents.remove(change.run.id.as_str());
        let (assignment, conversation) = found.ok_or_else(|| documents::missing(&change.run.id))?;
        claimed.push(Claimed {
            run: change.run.clone(),
            session: change.session.clone(),
            assignment,
            conversation,
            steps: done.remove(change.run.id.as_str()).unwrap_or_default(),
        });
    }
    Ok(claimed)
}
