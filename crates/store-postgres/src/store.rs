//! The store: a pool, and the notices that come out of it.

use std::fmt;
use std::sync::Arc;

use accord_domain::id::RunId;
use accord_domain::run::Run;
use accord_domain::run::change::{Change, Refused};
use accord_domain::session::Session;
use accord_store::StoreError;
use sqlx::PgPool;

use crate::fault::Fault;
use crate::load;
use crate::notices::{Announcement, Hub, Watch};
use crate::{connect, migrate, write};

/// The store on PostgreSQL. Cheap to clone; the background work ends with the last clone.
#[derive(Clone)]
pub struct PostgresStore {
    pub(crate) pool: PgPool,
    pub(crate) hub: Arc<Hub>,
    /// Kept for its end: it stops the tasks that watch the database.
    _watch: Arc<Watch>,
}

impl fmt::Debug for PostgresStore {
    /// The pool is left out: it knows the password.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

impl PostgresStore {
    /// Connects to the database at this `postgres://` address and brings its tables up to date. Several processes may
    /// do so at once. A database that a newer version has written to is left alone, with an error.
    pub async fn connect(url: &str) -> Result<Self, StoreError> {
        let pool = connect::pool(url).await.map_err(StoreError::from)?;
        migrate::run(&pool).await.map_err(StoreError::from)?;
        let (hub, watch) = Watch::start(&pool).await.map_err(StoreError::from)?;
        Ok(Self { pool, hub, _watch: Arc::new(watch) })
    }

    /// One change of one run that needs nothing but the run and its session.
    pub(crate) async fn change(
        &self,
        run_id: &RunId,
        decide: impl FnOnce(Run, Session) -> Result<Change, Refused>,
    ) -> Result<Run, Fault> {
        let mut transaction = self.pool.begin().await?;
        let step = load::pair(&mut transaction, run_id).await?.decide(decide)?;
        let steps = [step];
        write::steps(&mut transaction, Vec::new(), &steps).await?;
        transaction.commit().await?;
        self.hub.announce(Announcement::of(&steps));
        let [step] = steps;
        Ok(step.change.run)
    }
}
