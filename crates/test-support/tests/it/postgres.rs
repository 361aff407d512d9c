//! The PostgreSQL cluster, and that it leaves nothing behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use accord_test_support::{PostgresCluster, PostgresError, PostgresOptions};

/// Set for the process that holds a cluster and is killed.
const HOLDER: &str = "ACCORD_TEST_HOLDS_POSTGRES";

#[test]
fn databases_are_removed_with_the_cluster() {
    let cluster =
        PostgresCluster::start_with(PostgresOptions { without_fsync: true, ..PostgresOptions::default() })
            .unwrap();
    let port = cluster.port();
    let url = cluster.create_database("first").unwrap();
    assert_eq!(url, format!("postgres://postgres@127.0.0.1:{port}/first"));
    let Err(PostgresError::NoDatabase { name, detail }) = cluster.create_database("first") else {
        panic!("the same name twice")
    };
    assert!(name == "first" && detail.contains("already exists"), "{detail}");
    assert_ne!(cluster.fresh_database().unwrap(), cluster.fresh_database().unwrap());

    let folder = cluster.folder().to_owned();
    assert!(folder.exists());
    drop(cluster);
    assert!(!folder.exists());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn a_panic_leaves_nothing() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let panicked = std::thread::spawn(move || {
        let cluster = PostgresCluster::start_with(PostgresOptions {
            without_fsync: true,
            ..PostgresOptions::default()
        })
        .unwrap();
        sender.send((cluster.folder().to_owned(), cluster.port())).unwrap();
        panic!("as a test may");
    })
    .join();
    assert!(panicked.is_err());
    let (folder, port) = receiver.recv().unwrap();
    assert!(!folder.exists());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn a_killed_process_leaves_nothing() {
    if std::env::var_os(HOLDER).is_some() {
        return hold_a_cluster();
    }
    let mut holder = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "postgres::a_killed_process_leaves_nothing", "--nocapture"])
        .env(HOLDER, "yes")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (port, folder) = announced(BufReader::new(holder.stdout.take().unwrap()));
    assert!(folder.exists());
    holder.kill().unwrap();
    holder.wait().unwrap();
    // The folder is removed when the server has ended.
    wait_until_gone(&folder);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

/// Runs in the process that is killed: shares a cluster, prints its location, and waits to be
/// killed.
fn hold_a_cluster() {
    let cluster = PostgresCluster::shared().unwrap();
    assert!(std::ptr::eq(cluster, PostgresCluster::shared().unwrap()));
    let mut output = std::io::stdout();
    writeln!(output, "\ncluster {} {}", cluster.port(), cluster.folder().display()).unwrap();
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

fn announced(lines: impl BufRead) -> (u16, PathBuf) {
    let line = lines.lines().map(Result::unwrap).find(|line| line.starts_with("cluster ")).unwrap();
    let mut words = line.split(' ').skip(1);
    (words.next().unwrap().parse().unwrap(), PathBuf::from(words.next().unwrap()))
}

fn wait_until_gone(folder: &Path) {
    let begin = Instant::now();
    while folder.exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{} stays", folder.display());
        std::thread::park_timeout(Duration::from_millis(10));
    }
}
