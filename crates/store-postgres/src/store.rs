//! The store: a pool, and the notices that come out of it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use accord_domain::id::RunId;
use accord_domain::run::Run;
use accord_domain::run::change::{Change, Refused};
use accord_domain::session::Session;
use accord_store::{Claim, PoisonedCount, Store, StoreError};
use sqlx::{PgConnection, PgPool, Postgres, Transaction};

use crate::connect::Breaks;
use crate::error::DbError;
use crate::group::Group;
use crate::load::{self, Step};
use crate::notices::{Announcement, Hub, Watch};
use crate::runs::{NewRun, Work, attempts};
use crate::{connect, migrate, write};

/// The store on PostgreSQL. Cheap to clone; the background work ends with the last clone.
#[derive(Clone)]
pub struct PostgresStore {
    pub(crate) pool: PgPool,
    pub(crate) hub: Arc<Hub>,
    /// The newest event id that was returned as final. It stays final, whatever later queries can
    /// tell.
    pub(crate) settled: Arc<AtomicI64>,
    pub(crate) new_runs: Group<NewRun>,
    pub(crate) claims: Group<Claim>,
    pub(crate) work: Group<Work>,
    /// Kept for its end: it stops the tasks that watch the database.
    _watch: Arc<Watch>,
}

impl fmt::Debug for PostgresStore {
    /// The pool is left out: it knows the password.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

impl Store for PostgresStore {
    fn is_shared(&self) -> bool {
        true
    }
}

impl PostgresStore {
    /// Connects to the database at this `postgres://` address and brings its tables up to date. Several processes may
    /// do so at once. A database that a newer version has written to is left alone, with an error.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        let breaks = Arc::<Breaks>::default();
        let pool = connect::pool(url, Arc::clone(&breaks)).await.map_err(StoreError::from)?;
        migrate::run(&pool).await.map_err(StoreError::from)?;
        let (hub, watch) = Watch::start(&pool, breaks).await.map_err(StoreError::from)?;
        let (new_runs, claims, work) =
            (Group::start(&pool, &hub), Group::start(&pool, &hub), Group::start(&pool, &hub));
        Ok(Self { pool, hub, settled: Arc::default(), new_runs, claims, work, _watch: Arc::new(watch) })
    }

    /// Looks whether [`PostgresStore::connect`] could use the database at this address, and what in it coordinators died of: logs
    /// in and changes nothing.
    pub async fn examine(url: &str) -> Result<PoisonedCount, StoreError> {
        let pool = connect::pool(url, Arc::default()).await.map_err(StoreError::from)?;
        let examined = migrate::examine(&pool).await.map_err(StoreError::from);
        pool.close().await;
        examined
    }

    /// One change of one run that needs nothing but the run and its session.
    pub(crate) async fn change(
        &self,
        run_id: &RunId,
        decide: impl FnOnce(Run, Session) -> Result<Change, Refused>,
    ) -> Result<Run, DbError> {
        let mut transaction = self.begin().await?;
        let changed = change(&mut transaction, run_id, decide).await;
        self.conclude_one(transaction, changed).await
    }

    /// [`conclude`], and announces the change.
    pub(crate) async fn conclude_one(
        &self,
        transaction: Transaction<'_, Postgres>,
        step: Result<Step, DbError>,
    ) -> Result<Run, DbError> {
        let step = conclude(transaction, step).await?;
        self.hub.announce(Announcement::of(std::slice::from_ref(&step)));
        Ok(step.change.run)
    }

    /// [`conclude`], and announces the changes.
    pub(crate) async fn conclude_all(
        &self,
        transaction: Transaction<'_, Postgres>,
        steps: Result<Vec<Step>, DbError>,
    ) -> Result<Vec<Run>, DbError> {
        let steps = conclude(transaction, steps).await?;
        self.hub.announce(Announcement::of(&steps));
        Ok(steps.into_iter().map(|step| step.change.run).collect())
    }
}

async fn change(
    connection: &mut PgConnection,
    run_id: &RunId,
    decide: impl FnOnce(Run, Session) -> Result<Change, Refused>,
) -> Result<Step, DbError> {
    let step = load::pair(connection, run_id).await?.decide(decide)?;
    let step = attempts::counted(connection, step).await?;
    write::steps(connection, Vec::new(), std::slice::from_ref(&step)).await?;
    Ok(step)
}

/// Commits on success, and rolls back on failure before the caller learns of it: dropping a transaction rolls it back
/// too, but later, and until then others skip what it has locked.
pub(crate) async fn conclude<T>(
    transaction: Transaction<'_, Postgres>,
    result: Result<T, DbError>,
) -> Result<T, DbError> {
    match result {
        Ok(value) => {
            transaction.commit().await?;
            Ok(value)
        }
        Err(error) => {
            transaction.rollback().await.ok();
            Err(error)
        }
    }
}
