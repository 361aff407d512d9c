//! Whether the settings let accord start.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use super::check::Check;
use crate::config::Config;
use crate::host;

const NAME: &str = "settings";

/// The permission bits with which others (group, everyone) can read a file.
const OTHERS_READ: u32 = 0o044;

pub(super) async fn checks(config: &Config) -> Vec<Check> {
    let mut checks = taken(config).await;
    checks.extend(config.files_with_secrets().iter().filter_map(|path| read_by_others(path)));
    checks
}

/// A file with a key in it that not only its owner reads.
fn read_by_others(path: &Path) -> Option<Check> {
    let mode = std::fs::metadata(path).ok()?.permissions().mode();
    (mode & OTHERS_READ != 0).then(|| {
        let message = format!("{} contains a key or a password, and other users can read it", path.display());
        Check::warn(NAME, message, format!("chmod 600 {}", path.display()))
    })
}

async fn taken(config: &Config) -> Vec<Check> {
    let refusals = host::refusals(config).await;
    if refusals.is_empty() {
        return vec![Check::ok(NAME, "valid")];
    }
    let of_problem = |problem: crate::failure::Problem| {
        let (message, hint) = problem.into_parts();
        Check::fail(NAME, message, hint.unwrap_or_else(|| "the table above shows where it is set".to_owned()))
    };
    refusals.into_iter().map(of_problem).collect()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};

    use super::*;
    use crate::config::FILE;

    #[test]
    fn a_file_with_a_key_that_others_read_is_warned_of() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        for (text, mode, is_warned) in [
            ("[runner]\nkey = \"secret\"", 0o644, true),
            ("[runner]\nkey = \"secret\"", 0o640, true),
            ("[runner]\nkey = \"secret\"", 0o600, false),
            ("[database]\nurl = \"postgres://accord:secret@localhost/accord\"", 0o644, true),
            ("[server]\nlisten = \"127.0.0.1:0\"", 0o644, false),
        ] {
            fs::write(&file, text).unwrap();
            fs::set_permissions(&file, Permissions::from_mode(mode)).unwrap();
            let config = Config::load(folder.path(), Vec::new()).unwrap();
            let warned: Vec<_> =
                config.files_with_secrets().iter().filter_map(|path| read_by_others(path)).collect();
            let message =
                format!("{} contains a key or a password, and other users can read it", file.display());
            let expected = Check::warn(NAME, message, format!("chmod 600 {}", file.display()));
            assert_eq!(warned, Vec::from_iter(is_warned.then_some(expected)), "{text} {mode:o}");
        }
    }
}
