//! Finds the programs of PostgreSQL.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where Debian installs each version.
const VERSIONS: &str = "/usr/lib/postgresql";

/// The folder with `initdb` and `postgres`: the first in the search path that has both, else the
/// newest that Debian installed.
pub(super) fn find(search_path: Option<OsString>) -> Option<PathBuf> {
    find_in(search_path, Path::new(VERSIONS))
}

fn find_in(search_path: Option<OsString>, versions: &Path) -> Option<PathBuf> {
    let search_path = search_path.unwrap_or_default();
    std::env::split_paths(&search_path).find_map(|folder| home(&folder)).or_else(|| newest(versions))
}

/// The folder that really contains the programs: the search path may have links to some of them.
fn home(folder: &Path) -> Option<PathBuf> {
    let program = folder.join("initdb").canonicalize().ok()?;
    let home = program.parent()?;
    complete(home).then(|| home.to_owned())
}

fn complete(folder: &Path) -> bool {
    ["initdb", "postgres", "createdb"].iter().all(|program| folder.join(program).is_file())
}

fn newest(versions: &Path) -> Option<PathBuf> {
    let version = |folder: &PathBuf| folder.file_name()?.to_str()?.parse::<u32>().ok();
    let folders = std::fs::read_dir(versions).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let newest = folders.filter(|folder| complete(&folder.join("bin"))).max_by_key(version)?;
    Some(newest.join("bin"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn install(folder: &Path, programs: &[&str]) {
        std::fs::create_dir_all(folder).unwrap();
        for program in programs {
            std::fs::write(folder.join(program), "").unwrap();
        }
    }

    const ALL: &[&str] = &["initdb", "postgres", "createdb"];

    #[test]
    fn the_search_path_comes_first_and_then_the_newest_version() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (versions, path) = (root.join("versions"), root.join("path"));
        assert_eq!(find_in(None, &versions), None);

        install(&versions.join("9/bin"), ALL);
        install(&versions.join("15/bin"), ALL);
        install(&versions.join("16/bin"), &["postgres"]);
        install(&path, &[]);
        assert_eq!(find_in(Some(path.clone().into()), &versions), Some(versions.join("15/bin")));

        std::os::unix::fs::symlink(versions.join("9/bin/initdb"), path.join("initdb")).unwrap();
        assert_eq!(find_in(Some(path.into()), &versions), Some(versions.join("9/bin")));
    }
}
