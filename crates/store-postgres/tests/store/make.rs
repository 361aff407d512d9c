//! A database, and small values to put into it.

use accord_domain::id::{EventId, LeaseId, RunId, RunnerId, SessionId};
use accord_domain::run::change::End;
use accord_domain::run::{Holder, Outcome};
use accord_domain::runner::Profile;
use accord_domain::session::Session;
use accord_domain::usage::Usage;
use accord_store::{Claim, Claimed, EventFilter, EventLimit, EventStore, Finish, RunStore, Submission};
use accord_store_postgres::PostgresStore;
pub(crate) use accord_test_support::story::holder;
use accord_test_support::story::submission;
use accord_test_support::{PostgresCluster, PostgresOptions};
use jiff::{SignedDuration, Timestamp};
use sqlx::{Connection, PgConnection};

pub(crate) const LEASE: SignedDuration = SignedDuration::from_secs(30);

/// An empty database in its own cluster: some test runners start a process per test, and an open
/// transaction of one test would delay the events of another.
pub(crate) struct Database {
    pub(crate) cluster: PostgresCluster,
    pub(crate) url: String,
}

impl Database {
    /// Without fsync: the database is removed after the test.
    pub(crate) fn start() -> Self {
        Self::start_with(PostgresOptions { without_fsync: true, ..PostgresOptions::default() })
    }

    pub(crate) fn start_with(options: PostgresOptions) -> Self {
        let cluster = PostgresCluster::start_with(options).expect("a cluster");
        let url = cluster.fresh_database().expect("a database");
        Self { cluster, url }
    }

    /// A new store with its own connections, as if in another process.
    pub(crate) async fn store(&self) -> PostgresStore {
        PostgresStore::connect(&self.url).await.expect("a store")
    }

    /// A connection that does not belong to the store.
    pub(crate) async fn connection(&self) -> PgConnection {
        PgConnection::connect(&self.url).await.expect("a connection")
    }
}

pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

pub(crate) fn run_id(name: &str) -> RunId {
    RunId::new(name)
}

pub(crate) fn session_id(name: &str) -> SessionId {
    SessionId::new(name)
}

/// The session that [`fresh`] begins.
pub(crate) fn session(name: &str) -> Session {
    Session::begun_by(&fresh(name).run)
}

/// A new session with its first run.
pub(crate) fn fresh(name: &str) -> Submission {
    submission(name, at(0))
}

/// This runner claims at most this many runs, whatever their requirements.
pub(crate) fn claim(runner: &str, most: usize) -> Claim {
    Claim {
        runner_id: RunnerId::new(runner),
        profile: Profile::default(),
        leases: (0..most).map(|number| LeaseId::new(format!("{runner}-{number}"))).collect(),
        lease: LEASE,
        starts: false,
        now: at(1),
    }
}

/// The next run.
pub(crate) async fn take(store: &PostgresStore) -> Claimed {
    store.claim_runs(claim("r", 1)).await.unwrap().pop().unwrap()
}

/// A result with a text.
pub(crate) fn said(holder: &Holder, text: &str) -> Finish {
    let outcome =
        Outcome { result_text: Some(text.to_owned()), result_data: None, raw: None, validation: None };
    Finish {
        retries: 0,
        holder: holder.clone(),
        end: End::Completed(outcome),
        usage: Usage::default(),
        conversation: None,
        affinity: None,
        observations: Vec::new(),
        now: at(2),
    }
}

/// The ids and sessions of all events.
pub(crate) async fn all_events(store: &PostgresStore) -> Vec<(EventId, Option<SessionId>)> {
    let events = store.events(&EventFilter::default(), EventId(0), EventLimit::of(1_000_000)).await.unwrap();
    events.into_iter().map(|event| (event.id, event.session_id)).collect()
}
