//! The server goes away and comes back: errors meanwhile, normal work afterwards, in the same
//! process.

use std::process::Command;
use std::time::Duration;

use accord_domain::run::Status;
use accord_store::{EventStore, RunReader, RunStore, StoreError, Upkeep};
use accord_store_postgres::PostgresStore;
use accord_test_support::PostgresOptions;
use sqlx::{Connection, PgConnection};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use crate::make::{Database, all_events, fresh, holder, run_id, said, take};

/// Far longer than a restart takes, and shorter than the test runner's limit.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until the store can be used and returns the errors before that.
async fn until_it_works(store: &PostgresStore) -> Vec<StoreError> {
    let mut errors = Vec::new();
    let trying = async {
        while let Err(error) = store.ping().await {
            errors.push(error);
        }
    };
    timeout(PATIENCE, trying).await.expect("the store works again");
    errors
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_of_the_server_loses_nothing() {
    let database = Database::start_with(PostgresOptions::default());
    let store = database.store().await;
    let mut notices = store.notices();
    store.submit_run(fresh("before")).await.unwrap();
    let holder = holder(&take(&store).await.run);
    let seen = all_events(&store).await;

    // Killing one backend makes the server end all of them and recover from its log.
    let (mut victim, mut witness) = (database.connection().await, database.connection().await);
    let process: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(&mut victim).await.unwrap();
    let killed = Command::new("kill").args(["-KILL", &process.to_string()]).status().unwrap();
    assert!(killed.success());
    while sqlx::query("SELECT 1").execute(&mut witness).await.is_ok() {}
    while PgConnection::connect(&database.url).await.is_err() {}

    let errors = until_it_works(&store).await;
    assert!(errors.iter().all(|error| matches!(error, StoreError::Unavailable(_))), "{errors:?}");
    assert_eq!(all_events(&store).await, seen);
    while notices.try_recv().is_ok() {}
    store.finish_run(said(&holder, "x")).await.unwrap();
    assert_eq!(store.run(&run_id("before")).await.unwrap().status, Status::Completed);
    timeout(PATIENCE, notices.recv()).await.expect("a notice").unwrap();
}

/// A connection between the store and the server that can be cut.
struct Cable {
    port: u16,
    server: u16,
    carrier: JoinHandle<()>,
    hush: watch::Sender<()>,
}

impl Cable {
    async fn lay(server: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let hush = watch::Sender::new(());
        Self { port, server, carrier: tokio::spawn(carry(listener, server, hush.clone())), hush }
    }

    /// Existing connections transmit nothing more, without an error; new ones work.
    fn fall_silent(&self) {
        self.hush.send(()).unwrap();
    }

    /// Every connection breaks, and no new one is accepted.
    async fn cut(&mut self) {
        self.carrier.abort();
        (&mut self.carrier).await.ok();
    }

    async fn mend(&mut self) {
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.unwrap();
        self.carrier = tokio::spawn(carry(listener, self.server, self.hush.clone()));
    }
}

async fn carry(listener: TcpListener, server: u16, hush: watch::Sender<()>) {
    let mut connections = JoinSet::new();
    while let Ok((mut near, _)) = listener.accept().await {
        let mut hush = hush.subscribe();
        connections.spawn(async move {
            let mut far = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
            tokio::select! {
                _ = copy_bidirectional(&mut near, &mut far) => {}
                Ok(()) = hush.changed() => std::future::pending().await,
            }
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_silent_connection_is_given_up() {
    let database = Database::start();
    let cable = Cable::lay(database.cluster.port()).await;
    let url = database.url.replace(&database.cluster.port().to_string(), &cable.port.to_string());
    let store = PostgresStore::connect(&url).await.unwrap();
    let elsewhere = database.store().await;
    let mut notices = store.notices();
    // Several recently used connections, so that none is checked before it is taken.
    let mut uses = JoinSet::new();
    for _ in 0..8 {
        let store = store.clone();
        uses.spawn(async move { store.queue_depth().await });
    }
    assert!(uses.join_all().await.iter().all(Result::is_ok));

    cable.fall_silent();
    // Each waiter gives up, as a caller that hangs up does.
    let giving_up = async {
        // Answers already in transit may still arrive.
        while timeout(Duration::from_millis(100), store.queue_depth()).await.is_ok() {}
    };
    timeout(PATIENCE, giving_up).await.expect("the line is silent");
    until_it_works(&store).await;
    for number in 0..40 {
        store.submit_run(fresh(&format!("after-{number}"))).await.unwrap();
    }
    elsewhere.submit_run(fresh("elsewhere")).await.unwrap();
    let heard = accord_store::Notice::Events {
        session_id: crate::make::session_id("elsewhere"),
        run_id: Some(run_id("elsewhere")),
    };
    let hearing = async { while notices.recv().await.unwrap() != heard {} };
    timeout(PATIENCE, hearing).await.expect("notices come again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreachable_server_is_unavailable_until_it_is_back() {
    let database = Database::start();
    let mut cable = Cable::lay(database.cluster.port()).await;
    let url = database.url.replace(&database.cluster.port().to_string(), &cable.port.to_string());
    let store = PostgresStore::connect(&url).await.unwrap();
    let elsewhere = database.store().await;
    store.submit_run(fresh("before")).await.unwrap();
    let mut notices = store.notices();

    cable.cut().await;
    let refused = store.submit_run(fresh("meanwhile")).await;
    assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
    elsewhere.submit_run(fresh("elsewhere")).await.unwrap();
    cable.mend().await;

    until_it_works(&store).await;
    assert_eq!(store.queue_depth().await.unwrap().pending, 2, "what was refused is not there");
    let missed = accord_store::Notice::Events {
        session_id: crate::make::session_id("elsewhere"),
        run_id: Some(run_id("elsewhere")),
    };
    let hearing = async { while notices.recv().await.unwrap() != missed {} };
    timeout(PATIENCE, hearing).await.expect("what was missed is made up for");
    store.submit_run(fresh("meanwhile")).await.unwrap();
}
