//! Whether the store can be used. Nothing is opened for writing: that would make or migrate it.

use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::Path;
use std::time::Duration;

use super::Check;
use crate::config::Config;
use crate::store::{Place, place};

const NAME: &str = "store";

/// How every SQLite file begins.
const SQLITE_HEADER: &[u8] = b"SQLite format 3\0";

/// A server that does not take a connection in this time is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

const POSTGRES_PORT: u16 = 5432;

pub(super) async fn check(config: &Config) -> Check {
    match place(config) {
        Ok(Place::File(path)) => file(&path),
        Ok(Place::Memory) => Check::warn(
            NAME,
            "in memory: everything is gone with the process",
            "set database.url to sqlite://.accord/accord.db",
        ),
        Ok(Place::Server(url)) => server(&url).await,
        Err(_) => Check::fail(
            NAME,
            "database.url cannot be used",
            "write sqlite://FILE, sqlite::memory: or postgres://user@host/database",
        ),
    }
}

fn file(path: &Path) -> Check {
    let shown = path.display();
    let mut start = Vec::new();
    let read =
        File::open(path).and_then(|file| file.take(SQLITE_HEADER.len() as u64).read_to_end(&mut start));
    match read {
        // An empty file is what SQLite makes first.
        Ok(_) if start.is_empty() || start == SQLITE_HEADER => {
            Check::ok(NAME, format!("{shown} can be read"))
        }
        Ok(_) => {
            let message = format!("{shown} is not a SQLite file");
            Check::fail(NAME, message, "move it away, or set database.url to another file")
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Check::ok(NAME, format!("{shown} is made at the first start"))
        }
        Err(error) => {
            Check::fail(NAME, format!("{shown} cannot be read: {error}"), "check its owner and mode")
        }
    }
}

async fn server(url: &str) -> Check {
    let Some((host, port)) = host_and_port(url) else {
        // A socket or several hosts: only the driver knows the way.
        return Check::ok(NAME, "PostgreSQL; the way to it is tried at the first start");
    };
    let connecting = tokio::net::TcpStream::connect((host.as_str(), port));
    let cause = match tokio::time::timeout(CONNECT_TIMEOUT, connecting).await {
        Ok(Ok(_)) => {
            return Check::ok(NAME, format!("PostgreSQL answers at {host}:{port} (nobody logged in)"));
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => "no answer in time".to_owned(),
    };
    let message = format!("PostgreSQL at {host}:{port} cannot be reached: {cause}");
    Check::fail(NAME, message, "is it running, and is database.url right?")
}

/// The server of an address, without the password that may stand before it.
fn host_and_port(url: &str) -> Option<(String, u16)> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?']).next()?;
    let server = authority.rsplit_once('@').map_or(authority, |(_, server)| server);
    if server.is_empty() || server.contains([',', '%']) || url.contains("host=") {
        return None;
    }
    match server.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && !port.ends_with(']') => {
            Some((host.trim_matches(['[', ']']).to_owned(), port.parse().ok()?))
        }
        _ => Some((server.trim_matches(['[', ']']).to_owned(), POSTGRES_PORT)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;

    #[test]
    fn a_file_is_looked_at_and_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("accord.db");
        assert_eq!(file(&path).status, Status::Ok);
        assert!(!path.exists());
        for (content, expected) in
            [(b"".as_slice(), Status::Ok), (b"SQLite format 3\0rest", Status::Ok), (b"hello", Status::Fail)]
        {
            std::fs::write(&path, content).unwrap();
            assert_eq!(file(&path).status, expected, "{content:?}");
            assert_eq!(std::fs::read(&path).unwrap(), content);
        }
    }

    #[test]
    fn a_server_is_found_without_its_password() {
        let cases = [
            ("postgres://me:pass@host/db", Some(("host", 5432))),
            ("postgres://host:6000", Some(("host", 6000))),
            ("postgresql://me@[::1]:6000/db", Some(("::1", 6000))),
            ("postgres://me@[::1]/db", Some(("::1", 5432))),
            ("postgres:///db?host=/run/postgresql", None),
            ("postgres://a,b/db", None),
            ("postgres://me@%2Frun/db", None),
        ];
        for (url, expected) in cases {
            let expected = expected.map(|(host, port): (&str, u16)| (host.to_owned(), port));
            assert_eq!(host_and_port(url), expected, "{url}");
        }
    }
}
