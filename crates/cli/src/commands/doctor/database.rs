//! Whether the store can be used. It is looked at, never made or migrated.

use std::path::Path;
use std::{fs, io};

use accord_store::PoisonedCount;
use accord_store_postgres::PostgresStore;
use accord_store_sqlite::SqliteStore;
use rustix::fs::{Access, access};

use super::check::{Check, Status};
use crate::config::{Config, without_secrets};
use crate::failure::Problem;
use crate::store::{DatabaseLocation, full, in_the_way, place};

const NAME: &str = "store";

/// Whether the store can be used, and what in it coordinators died of.
pub(super) async fn checks(config: &Config) -> Vec<Check> {
    let mut counted = PoisonedCount::default();
    let store = check(config, &mut counted).await;
    std::iter::once(store).chain(quarantine(counted)).collect()
}

/// What coordinators died of, where there is any.
fn quarantine(counted: PoisonedCount) -> Option<Check> {
    let PoisonedCount { runs, workflow_runs } = counted;
    let amount = |count: u64, what: &str| match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        count => Some(format!("{count} {what}s")),
    };
    let amounts = [amount(workflow_runs, "workflow run"), amount(runs, "run")];
    let amounts: Vec<String> = amounts.into_iter().flatten().collect();
    (!amounts.is_empty()).then(|| {
        let message = format!("{} failed as poisoned: coordinators crashed while working on them", amounts.join(" and "));
        let remedy = "find them with `accord workflows runs --status failed` and `accord runs list --status failed`; fix the \
                      cause, then run `accord workflows retry RUN` or `accord runs retry RUN`";
        Check::warn("quarantine", message, remedy)
    })
}

async fn check(config: &Config, counted: &mut PoisonedCount) -> Check {
    match place(config) {
        Ok(DatabaseLocation::File(path)) => {
            match (file(&path, counted), full(&path).map(Problem::into_parts)) {
                (found, Some((message, remedy))) if found.status == Status::Ok => {
                    Check::fail(NAME, message, remedy.unwrap_or_default())
                }
                (found, _) => found,
            }
        }
        Ok(DatabaseLocation::Memory) => Check::warn(
            NAME,
            "in memory: all data is lost when the process ends",
            "set database.url to sqlite://.accord/accord.db",
        ),
        Ok(DatabaseLocation::Server(url)) => server(&url, counted).await,
        Err(_) => Check::fail(
            NAME,
            "invalid database.url",
            "expected sqlite://FILE, sqlite::memory: or postgres://user@host/database",
        ),
    }
}

fn file(path: &Path, counted: &mut PoisonedCount) -> Check {
    let location = path.display();
    if fs::symlink_metadata(path).is_err() {
        return to_be_made(path);
    }
    // SQLite keeps its log next to the file.
    let beside = path.parent().and_then(unwritable);
    match (SqliteStore::examine(path), beside) {
        (Ok(found), None) => {
            *counted = found;
            Check::ok(NAME, format!("{location} is usable"))
        }
        (Ok(_), Some(refusal)) => {
            let remedy = "make the folder writable, or set database.url to another file";
            Check::fail(NAME, format!("{location} is not usable: {refusal}"), remedy)
        }
        (Err(error), _) => {
            let remedy = "restore a backup or move it away, check its owner and permissions, or set database.url to another file";
            Check::fail(NAME, error.to_string(), remedy)
        }
    }
}

fn to_be_made(path: &Path) -> Check {
    let location = path.display();
    let folder = path.ancestors().skip(1).find(|folder| folder.exists());
    match in_the_way(path).or_else(|| folder.and_then(unwritable)) {
        None => Check::ok(NAME, format!("{location} will be created on first start")),
        Some(refusal) => Check::fail(
            NAME,
            format!("{location} cannot be created: {refusal}"),
            "set database.url to another file",
        ),
    }
}

/// Why nothing can be made in a folder. The system is asked, which knows of owners and of file systems that are only read.
fn unwritable(folder: &Path) -> Option<String> {
    let refusal = access(folder, Access::WRITE_OK | Access::EXEC_OK).err()?;
    Some(format!("{} is not writable: {}", folder.display(), io::Error::from(refusal)))
}

async fn server(url: &str, counted: &mut PoisonedCount) -> Check {
    let location = without_secrets(url);
    match PostgresStore::examine(url).await {
        Ok(found) => {
            *counted = found;
            Check::ok(NAME, format!("{location} is usable"))
        }
        Err(error) => {
            let remedy = "fix the connection, or set database.url to another database";
            Check::fail(NAME, format!("{location} is not usable: {error}"), remedy)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt as _;

    use rustix::process::Uid;
    use rustix::thread::set_thread_uid;

    use super::*;

    fn looked_at(path: &Path) -> Check {
        file(path, &mut PoisonedCount::default())
    }

    #[test]
    fn poisoned_work_is_reported() {
        assert_eq!(quarantine(PoisonedCount::default()), None);
        let told = |runs, workflow_runs| {
            quarantine(PoisonedCount { runs, workflow_runs }).map(|check| check.message)
        };
        let expected =
            "2 workflow runs and 1 run failed as poisoned: coordinators crashed while working on them";
        assert_eq!(told(1, 2).as_deref(), Some(expected));
    }

    #[test]
    fn a_file_is_looked_at_and_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("50% of?what#.db");
        assert_eq!(looked_at(&path).status, Status::Ok);
        assert!(!path.exists());
        for content in [b"".as_slice(), b"hello"] {
            fs::write(&path, content).unwrap();
            assert_eq!(looked_at(&path).status, Status::Fail, "{content:?}");
            assert_eq!(fs::read(&path).unwrap(), content);
        }
        fs::remove_file(&path).unwrap();
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!(looked_at(&path), Check::ok(NAME, format!("{} is usable", path.display())));
        drop(store);
        let before = fs::read(&path).unwrap();
        assert_eq!(looked_at(&path).status, Status::Ok);
        assert_eq!((fs::read(&path).unwrap(), fs::read_dir(folder.path()).unwrap().count()), (before, 1));
    }

    #[test]
    fn a_file_needs_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        assert_eq!(looked_at(&folder.path().join("b/c/accord.db")).status, Status::Ok);
        assert_eq!(looked_at(&folder.path().join("a/accord.db")).status, Status::Fail);
        assert_eq!(looked_at(folder.path()).status, Status::Fail);
    }

    #[test]
    fn a_folder_of_another_user_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        drop(SqliteStore::open(inner.join("kept.db")).unwrap());
        fs::set_permissions(inner.join("kept.db"), Permissions::from_mode(0o666)).unwrap();
        fs::set_permissions(&inner, Permissions::from_mode(0o555)).unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let (kept, missing) = (inner.join("kept.db"), inner.join("b/missing.db"));
        // Root ignores permissions, so this thread becomes another user.
        let looked = std::thread::spawn(move || {
            let _ = set_thread_uid(Uid::from_raw(65_534));
            [looked_at(&kept), looked_at(&missing)]
        });
        for found in looked.join().unwrap() {
            let said = format!("{} is not writable", inner.display());
            assert!(found.status == Status::Fail && found.message.contains(&said), "{found:?}");
        }
    }

    #[tokio::test]
    async fn an_unreachable_server_is_reported_without_its_password() {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let found =
            server(&format!("postgres://me:hush@127.0.0.1:{port}/db"), &mut PoisonedCount::default()).await;
        assert_eq!(found.status, Status::Fail);
        assert!(!found.message.contains("hush") && found.message.contains("(hidden)"), "{}", found.message);
    }
}
