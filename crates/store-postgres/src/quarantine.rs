//! Work in progress, and work that is set aside because it crashed coordinators.
//!
//! The work itself is always locked before its mark.

use accord_domain::callback::HeldReason;
use accord_domain::id::{RunId, SessionId, WorkflowRunId};
use accord_domain::quarantine::{self, Fate, Item, Kind};
use accord_domain::run::{Run, change};
use accord_domain::session::Status;
use accord_domain::workflow::WorkflowRun;
use accord_store::{
    CallbackHold, Census, Death, Idempotency, Poisoned, PoisonedCount, QuarantineStore, StoreError, TaskRun,
};
use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::{PgConnection, Row};

use crate::callbacks::keep_back;
use crate::convert::{counted, id, micros, named, whole};
use crate::error::{DbError, retrying};
use crate::notices::Announcement;
use crate::rows::{self, run_columns};
use crate::runs::attempts;
use crate::store::{PostgresStore, conclude};
use crate::{load, workflows, write};

#[async_trait]
impl QuarantineStore for PostgresStore {
    async fn begin_work(
        &self,
        items: Vec<Item>,
        instance: &str,
        now: Timestamp,
    ) -> Result<Vec<Item>, StoreError> {
        retrying(|| self.mark(&items, instance, now)).await
    }

    async fn end_work(&self, items: Vec<Item>, instance: &str) -> Result<(), StoreError> {
        retrying(|| self.unmark(&items, instance)).await
    }

    async fn renew_work(&self, instance: &str, now: Timestamp) -> Result<(), StoreError> {
        retrying(|| self.renew_marks(instance, now)).await
    }

    async fn release_work(&self, instance: &str) -> Result<(), StoreError> {
        retrying(|| self.release_marks(instance)).await
    }

    async fn dead_work(&self, census: &Census, limit: u32) -> Result<Vec<Item>, StoreError> {
        retrying(|| self.read_dead(census, limit)).await
    }

    async fn count_death(&self, item: &Item, census: &Census) -> Result<Option<Death>, StoreError> {
        let census = Census { now: whole(census.now), ..census.clone() };
        retrying(|| self.bury(item, &census)).await
    }

    async fn is_marked(&self, item: &Item) -> Result<bool, StoreError> {
        retrying(|| self.read_is_marked(item)).await
    }

    async fn deaths(&self, item: &Item) -> Result<u32, StoreError> {
        retrying(|| self.read_deaths(item)).await
    }

    async fn poisoned(&self, limit: u32) -> Result<Poisoned, StoreError> {
        retrying(|| self.read_poisoned(limit)).await
    }

    async fn count_poisoned(&self) -> Result<PoisonedCount, StoreError> {
        retrying(|| self.read_how_many()).await
    }

    async fn retry_workflow_run(
        &self,
        id: &WorkflowRunId,
        idempotency: Option<Idempotency>,
        now: Timestamp,
    ) -> Result<WorkflowRun, StoreError> {
        retrying(|| self.retry_ended(id, idempotency.as_ref(), whole(now))).await
    }

    async fn end_workflow_run(&self, id: &WorkflowRunId, now: Timestamp) -> Result<WorkflowRun, StoreError> {
        retrying(|| self.stop_at_once(id, whole(now))).await
    }

    async fn task_runs(&self, id: &WorkflowRunId) -> Result<Vec<TaskRun>, StoreError> {
        retrying(|| self.read_task_runs(id)).await
    }

    async fn stop_run_at_once(&self, run_id: &RunId, now: Timestamp) -> Result<Run, StoreError> {
        let stop = |run, session| Ok(change::stop_at_once(run, session, whole(now)));
        retrying(|| self.change(run_id, stop)).await
    }
}

/// A mark must survive a crash of this process but not of the server, so its commit does not wait
/// for the disk. The setting applies to this one statement, which is its own transaction.
macro_rules! unflushed {
    () => {
        "WITH unflushed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS setting) "
    };
}

const MARK: &str = concat!(
    unflushed!(),
    "INSERT INTO underway (kind, id, instance, seen_at, deaths) \
     SELECT t.kind, t.id, $3, $4, 0 FROM unnest($1::text[], $2::text[]) AS t(kind, id), unflushed \
     WHERE unflushed.setting IS NOT NULL ORDER BY t.kind, t.id \
     ON CONFLICT (kind, id) DO UPDATE SET instance = excluded.instance, seen_at = excluded.seen_at \
     WHERE underway.instance IS NULL OR underway.instance = excluded.instance RETURNING kind, id"
);

const UNMARK: &str = concat!(
    unflushed!(),
    "DELETE FROM underway u USING unnest($1::text[], $2::text[]) AS t(kind, id), unflushed \
     WHERE u.kind = t.kind AND u.id = t.id AND u.instance = $3 AND unflushed.setting IS NOT NULL"
);

const RENEW: &str = "UPDATE underway SET seen_at = $2 WHERE instance = $1";

const RELEASE: &str = "
WITH clean AS (DELETE FROM underway WHERE instance = $1 AND deaths = 0)
UPDATE underway SET instance = NULL WHERE instance = $1 AND deaths > 0";

const DEAD: &str = "
SELECT kind, id FROM underway WHERE instance IS NOT NULL AND instance <> $1 AND (seen_at < $2 OR seen_at > $3)
ORDER BY seen_at LIMIT $4";

const COUNT: &str = "
UPDATE underway SET deaths = deaths + 1, instance = NULL
WHERE kind = $1 AND id = $2 AND instance IS NOT NULL AND instance <> $3 AND (seen_at < $4 OR seen_at > $5)
RETURNING deaths";

const OWED: &str = "
SELECT run_id FROM callbacks WHERE parent_session_id = $1 AND delivered_by IS NULL AND held_reason IS NULL
ORDER BY created_at, number";

const RUNS: &str = concat!(
    "SELECT ",
    run_columns!(),
    " FROM runs r WHERE r.failure_type = 'poisoned' ORDER BY r.created_at DESC, r.id DESC LIMIT $1"
);

const HOW_MANY: &str = "
SELECT (SELECT count(*) FROM runs WHERE failure_type = 'poisoned') AS runs,
    (SELECT count(*) FROM workflow_runs WHERE failure IS NOT NULL AND status = 'failed') AS workflow_runs";

impl PostgresStore {
    async fn mark(&self, items: &[Item], instance: &str, now: Timestamp) -> Result<Vec<Item>, DbError> {
        let (kinds, ids) = columns(items);
        let query = sqlx::query(MARK).bind(kinds).bind(ids).bind(instance).bind(micros(now));
        let rows = query.fetch_all(&self.pool).await?;
        let mut begun = Vec::with_capacity(rows.len());
        for row in &rows {
            begun.push(Item { kind: named(row.try_get("kind")?)?, id: row.try_get("id")? });
        }
        // In the order in which they were given.
        Ok(items.iter().filter(|item| begun.contains(item)).cloned().collect())
    }

    async fn unmark(&self, items: &[Item], instance: &str) -> Result<(), DbError> {
        let (kinds, ids) = columns(items);
        sqlx::query(UNMARK).bind(kinds).bind(ids).bind(instance).execute(&self.pool).await?;
        Ok(())
    }

    async fn renew_marks(&self, instance: &str, now: Timestamp) -> Result<(), DbError> {
        sqlx::query(RENEW).bind(instance).bind(micros(now)).execute(&self.pool).await?;
        Ok(())
    }

    async fn release_marks(&self, instance: &str) -> Result<(), DbError> {
        sqlx::query(RELEASE).bind(instance).execute(&self.pool).await?;
        Ok(())
    }

    async fn read_dead(&self, census: &Census, limit: u32) -> Result<Vec<Item>, DbError> {
        let rows = sqlx::query(DEAD)
            .bind(&census.instance)
            .bind(micros(census.seen_before))
            .bind(micros(census.seen_after))
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await?;
        let mut dead = Vec::with_capacity(rows.len());
        for row in &rows {
            dead.push(Item { kind: named(row.try_get("kind")?)?, id: row.try_get("id")? });
        }
        Ok(dead)
    }

    async fn bury(&self, item: &Item, census: &Census) -> Result<Option<Death>, DbError> {
        let mut transaction = self.begin().await?;
        let counted = count_death(&mut transaction, item, census).await;
        let (death, announcement) = conclude(transaction, counted).await?;
        self.hub.announce(announcement);
        Ok(death)
    }

    async fn read_is_marked(&self, item: &Item) -> Result<bool, DbError> {
        let sql =
            "SELECT EXISTS (SELECT 1 FROM underway WHERE kind = $1 AND id = $2 AND instance IS NOT NULL)";
        Ok(sqlx::query_scalar(sql).bind(item.kind.as_str()).bind(&item.id).fetch_one(&self.pool).await?)
    }

    async fn read_deaths(&self, item: &Item) -> Result<u32, DbError> {
        let query = sqlx::query_scalar("SELECT deaths FROM underway WHERE kind = $1 AND id = $2");
        let deaths: Option<i64> =
            query.bind(item.kind.as_str()).bind(&item.id).fetch_optional(&self.pool).await?;
        Ok(counted(deaths.unwrap_or_default())?)
    }

    async fn read_poisoned(&self, limit: u32) -> Result<Poisoned, DbError> {
        let runs = sqlx::query(RUNS).bind(i64::from(limit)).fetch_all(&self.pool).await?;
        let runs = runs.iter().map(rows::run).collect::<Result<_, _>>()?;
        Ok(Poisoned { runs, workflow_runs: self.read_poisoned_workflow_runs(limit).await? })
    }

    async fn read_how_many(&self) -> Result<PoisonedCount, DbError> {
        how_many(&mut *self.pool.acquire().await?).await
    }
}

/// How many runs and workflow runs coordinators died of.
pub(crate) async fn how_many(connection: &mut PgConnection) -> Result<PoisonedCount, DbError> {
    let row = sqlx::query(HOW_MANY).fetch_one(connection).await?;
    let (runs, workflow_runs) = (counted(row.try_get("runs")?)?, counted(row.try_get("workflow_runs")?)?);
    Ok(PoisonedCount { runs, workflow_runs })
}

fn columns(items: &[Item]) -> (Vec<&str>, Vec<&str>) {
    items.iter().map(|item| (item.kind.as_str(), item.id.as_str())).unzip()
}

pub(crate) async fn clear(connection: &mut PgConnection, kind: Kind, id: &str) -> Result<(), DbError> {
    let query = sqlx::query("DELETE FROM underway WHERE kind = $1 AND id = $2");
    query.bind(kind.as_str()).bind(id).execute(connection).await?;
    Ok(())
}

async fn count_death(
    connection: &mut PgConnection,
    item: &Item,
    census: &Census,
) -> Result<(Option<Death>, Announcement), DbError> {
    let is_over = lock(connection, item).await?;
    let query = sqlx::query_scalar(COUNT)
        .bind(item.kind.as_str())
        .bind(&item.id)
        .bind(&census.instance)
        .bind(micros(census.seen_before))
        .bind(micros(census.seen_after));
    let Some(deaths) = query.fetch_optional(&mut *connection).await? else {
        return Ok((None, Announcement::default()));
    };
    let deaths = counted(deaths)?;
    let fate = quarantine::fate(deaths);
    if is_over || fate == Fate::Poisoned {
        clear(connection, item.kind, &item.id).await?;
    }
    let announcement = match fate {
        _ if is_over => return Ok((None, Announcement::default())),
        Fate::Retry => Announcement::default(),
        Fate::Poisoned => poison(connection, item, census.now).await?,
    };
    Ok((Some(Death { deaths, fate }), announcement))
}

/// Locks what the work is done on, and says whether there is nothing left to do.
async fn lock(connection: &mut PgConnection, item: &Item) -> Result<bool, DbError> {
    let open: Option<bool> = match item.kind {
        Kind::WorkflowStep => {
            let sql = "SELECT finished_at IS NULL FROM workflow_runs WHERE id = $1 FOR UPDATE";
            sqlx::query_scalar(sql).bind(&item.id).fetch_optional(connection).await?
        }
        Kind::Callback => {
            let sql = "SELECT s.status = 'waiting' OR EXISTS (SELECT 1 FROM callbacks c WHERE c.parent_session_id = s.id \
                       AND c.delivered_by IS NULL AND c.held_reason IS NULL) FROM sessions s WHERE s.id = $1 FOR UPDATE";
            sqlx::query_scalar(sql).bind(&item.id).fetch_optional(connection).await?
        }
        Kind::Finish => match load::pair(connection, &id(&item.id)?).await {
            Ok(pair) => Some(!pair.run.status.is_over()),
            Err(DbError::Store(StoreError::NoRun(_))) => None,
            Err(error) => return Err(error),
        },
    };
    Ok(open != Some(true))
}

async fn poison(connection: &mut PgConnection, item: &Item, now: Timestamp) -> Result<Announcement, DbError> {
    match item.kind {
        Kind::WorkflowStep => {
            let id: WorkflowRunId = id(&item.id)?;
            workflows::poison(connection, &id, now).await?;
            Ok(Announcement::of_workflows(false, true, vec![id]))
        }
        Kind::Finish => poison_run(connection, &id(&item.id)?, now).await,
        Kind::Callback => hold(connection, item, now).await,
    }
}

async fn poison_run(
    connection: &mut PgConnection,
    run_id: &RunId,
    now: Timestamp,
) -> Result<Announcement, DbError> {
    let pair = load::pair(connection, run_id).await?;
    let step = pair.decide(|run, session| Ok(change::poison(run, session, now)))?;
    let step = attempts::counted(connection, step).await?;
    write::steps(connection, Vec::new(), std::slice::from_ref(&step)).await?;
    Ok(Announcement::of(&[step]))
}

async fn hold(connection: &mut PgConnection, item: &Item, now: Timestamp) -> Result<Announcement, DbError> {
    let session_id: SessionId = id(&item.id)?;
    let parent = load::session(connection, &session_id).await?;
    // The run would keep waiting, and the next coordinator would crash on it.
    if parent.status == Status::Waiting {
        return poison_run(connection, &parent.last_run_id, now).await;
    }
    let owed: Vec<String> = sqlx::query_scalar(OWED).bind(&item.id).fetch_all(&mut *connection).await?;
    let hold = CallbackHold {
        parent_session_id: session_id,
        last_run_id: parent.last_run_id,
        run_ids: owed.iter().map(|run_id| id(run_id)).collect::<Result<_, _>>()?,
        reason: HeldReason::Poisoned,
        message: quarantine::message(item),
        now,
    };
    keep_back(connection, &hold).await?;
    Ok(Announcement::events())
}
