//! A private PostgreSQL cluster for a test: copied from a template into a temporary folder, on a free loopback port,
//! removed at the end. The template stays in the temporary folder of the machine.
//!
//! The server runs under a small shell script that waits for the end of its standard input.
//! Dropping the cluster closes that input; a panic drops it too; and when the whole process exits,
//! even if it is killed or the cluster is in a static, the system closes the pipe. The script has
//! its own process group, so that a signal to the test's group does not end the script before it
//! has cleaned up.
//!
//! There is deliberately no way to skip. A test that needs PostgreSQL and does not find it gets an
//! error that says what to install.

mod programs;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use thiserror::Error;

const WATCHDOG: &str = include_str!("watchdog.sh");

/// The server logs this when it is ready.
const READY: &str = "database system is ready to accept connections";

/// Its message if another process took the port after we found it free.
const PORT_TAKEN: &str = "could not bind";
const PORT_ATTEMPTS: usize = 3;

/// The first cluster takes about two seconds, and much longer on a machine that is busy with a
/// build.
const START_LIMIT: Duration = Duration::from_secs(120);

/// Lines of the server's log that are kept to explain a failure.
const KEPT_LINES: usize = 40;

/// The account that owns the cluster when the tests run as root, which PostgreSQL refuses.
const ACCOUNT: &str = "postgres";

/// A PostgreSQL server for tests, stopped and removed when it is dropped.
#[derive(Debug)]
pub struct PostgresCluster {
    watchdog: Child,
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PostgresOptions {
    /// Never waits for the disk. Quicker, and useless for tests of durability.
    pub without_fsync: bool,
    /// Counts statements, for `pg_stat_statements`.
    pub with_counted_statements: bool,
}

/// Why a cluster or a database could not be created.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PostgresError {
    #[error(
        "PostgreSQL was not found: no initdb and postgres in PATH or in /usr/lib/postgresql/*/bin. \
         Install it (Debian: apt-get install postgresql) or put its programs into PATH"
    )]
    NotInstalled,
    /// PostgreSQL is installed but did not start.
    #[error("PostgreSQL did not start: {0}")]
    NotStarted(String),
    /// The server runs but could not create the database.
    #[error("the database '{name}' was not made: {detail}")]
    NoDatabase { name: String, detail: String },
}

impl PostgresCluster {
    /// Creates a cluster and starts its server. Commits wait for the disk.
    pub fn start() -> Result<Self, PostgresError> {
        Self::start_with(PostgresOptions::default())
    }

    /// Creates a cluster and starts its server, with options.
    pub fn start_with(options: PostgresOptions) -> Result<Self, PostgresError> {
        let programs = programs::find(std::env::var_os("PATH")).ok_or(PostgresError::NotInstalled)?;
        let mut last = String::new();
        for _ in 0..PORT_ATTEMPTS {
            match Self::attempt(programs.clone(), options) {
                Err(PostgresError::NotStarted(detail)) if detail.contains(PORT_TAKEN) => last = detail,
                result => return result,
            }
        }
        Err(PostgresError::NotStarted(last))
    }

    /// The cluster that the tests of this process share, created on first use. It ends with the
    /// process.
    pub fn shared() -> Result<&'static Self, PostgresError> {
        static SHARED: OnceLock<Result<PostgresCluster, PostgresError>> = OnceLock::new();
        SHARED.get_or_init(Self::start).as_ref().map_err(PostgresError::clone)
    }

    /// The address of a database of this cluster.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{ACCOUNT}@127.0.0.1:{}/{database}", self.port)
    }

    /// The port that the server listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// One of PostgreSQL's programs, of the version of the server.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    /// The process of the server; all others of it are its children.
    pub fn server_process(&self) -> Option<u32> {
        let file = std::fs::read_to_string(self.folder.join("postmaster.pid")).ok()?;
        file.lines().next()?.trim().parse().ok()
    }

    /// The folder that holds the cluster.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Creates an empty database and returns its address.
    pub fn create_database(&self, name: &str) -> Result<String, PostgresError> {
        let failed = |detail: String| PostgresError::NoDatabase { name: name.to_owned(), detail };
        let mut command = Command::new(self.programs.join("createdb"));
        command.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", ACCOUNT, "-w"]);
        command.args(["--maintenance-db=postgres", "--", name]);
        let output = without_settings(&mut command).output().map_err(|error| failed(error.to_string()))?;
        if output.status.success() {
            Ok(self.url(name))
        } else {
            Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
        }
    }

    /// Creates an empty database with a unique name and returns its address.
    pub fn fresh_database(&self) -> Result<String, PostgresError> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        self.create_database(&format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed)))
    }

    fn attempt(programs: PathBuf, options: PostgresOptions) -> Result<Self, PostgresError> {
        let failed = |error: std::io::Error| PostgresError::NotStarted(error.to_string());
        let folder = new_folder();
        let port = free_port().map_err(failed)?;
        let mut command = as_ordinary_user();
        command
            .args(["sh", "-c", WATCHDOG, "accord-postgres"])
            .arg(&folder)
            .arg(&programs)
            .arg(port.to_string());
        if options.without_fsync {
            command.args(["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]);
        }
        if options.with_counted_statements {
            command.args(["-c", "shared_preload_libraries=pg_stat_statements"]);
        }
        // The account may not be allowed to enter the folder of the test.
        command.current_dir("/").env("LC_ALL", "C").process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut watchdog = without_settings(&mut command).spawn().map_err(failed)?;
        let log = watchdog.stderr.take();
        // From here on dropping the cluster cleans up.
        let cluster = Self { watchdog, programs, folder, port };
        let log = log.ok_or_else(|| PostgresError::NotStarted("it has no log".to_owned()))?;
        wait_until_ready(&follow(log))?;
        Ok(cluster)
    }
}

impl Drop for PostgresCluster {
    fn drop(&mut self) {
        drop(self.watchdog.stdin.take());
        self.watchdog.wait().ok();
        // The watchdog has removed it, unless the watchdog was killed.
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// A command that runs its arguments, under another account if we are root.
fn as_ordinary_user() -> Command {
    let user = Command::new("id").arg("-u").output();
    if user.is_ok_and(|output| output.stdout.trim_ascii() == b"0") {
        let mut command = Command::new("runuser");
        command.args(["-u", ACCOUNT, "--"]);
        command
    } else {
        Command::new("env")
    }
}

/// PostgreSQL settings in the environment would lead to another server or change this one.
fn without_settings(command: &mut Command) -> &mut Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("PG") {
            command.env_remove(name);
        }
    }
    command
}

/// A unique name; the watchdog creates the folder, for its account only.
fn new_folder() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    std::env::temp_dir().join(format!("accord-postgres-{}-{count}-{now}", std::process::id()))
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// The outcome of the start according to the log: the server is ready, or it ended with these last
/// lines.
enum News {
    Ready,
    Ended,
}

struct Log {
    news: Receiver<News>,
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl Log {
    fn text(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        Vec::from_iter(lines.iter().map(String::as_str)).join("\n")
    }
}

/// Reads the log to its end, so that the server never blocks on a full pipe.
fn follow(log: ChildStderr) -> Log {
    let (sender, news) = mpsc::channel();
    let lines = Arc::new(Mutex::new(VecDeque::new()));
    let kept = Arc::clone(&lines);
    std::thread::spawn(move || {
        for line in BufReader::new(log).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).into_owned();
            let ready = line.contains(READY);
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push_back(line);
            if kept.len() > KEPT_LINES {
                kept.pop_front();
            }
            drop(kept);
            if ready {
                sender.send(News::Ready).ok();
            }
        }
        sender.send(News::Ended).ok();
    });
    Log { news, lines }
}

fn wait_until_ready(log: &Log) -> Result<(), PostgresError> {
    match log.news.recv_timeout(START_LIMIT) {
        Ok(News::Ready) => Ok(()),
        Ok(News::Ended) | Err(RecvTimeoutError::Disconnected) => Err(PostgresError::NotStarted(log.text())),
        Err(RecvTimeoutError::Timeout) => {
            let seconds = START_LIMIT.as_secs();
            Err(PostgresError::NotStarted(format!("not ready after {seconds} seconds\n{}", log.text())))
        }
    }
}
