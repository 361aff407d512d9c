//! The key for the coordinator: in the configuration (`runner.key`), or in a separate file
//! (`runner.key_file`).
//!
//! A flag takes precedence over the environment, and the environment over the configuration file. A
//! key file that others can read is used with a warning on stderr, because secrets that
//! orchestrators mount into containers are readable by all users of the container.

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Once;

use super::Config;
use super::origin::Origin;
use crate::failure::Problem;
use crate::output;

/// What holds the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Nothing,
    Text,
    File,
}

/// A key has 81 characters. A file that is much longer is another file.
const LONGEST_KEY_FILE: u64 = 4096;

/// What to do instead of writing a key where others can read it.
const SAFE_WAYS: &str =
    "use --key-file FILE, the environment variable ACCORD_KEY, or runner.key_file in the configuration";

impl Config {
    /// The API key for the coordinator, if there is one.
    pub(crate) fn key(&self) -> Result<Option<String>, Problem> {
        let runner = &self.values.runner;
        match self.key_source()? {
            Source::Nothing => Ok(None),
            Source::Text => {
                self.warn_of_text();
                Ok(Some(runner.key.clone()))
            }
            Source::File => read(&self.path(&runner.key_file)).map(Some),
        }
    }

    /// The file that holds the key, where one is set.
    pub(crate) fn key_file(&self) -> Option<PathBuf> {
        let file = &self.values.runner.key_file;
        (!file.is_empty()).then(|| self.path(file))
    }

    fn key_source(&self) -> Result<Source, Problem> {
        let runner = &self.values.runner;
        match (runner.key.is_empty(), runner.key_file.is_empty()) {
            (true, true) => Ok(Source::Nothing),
            (false, true) => Ok(Source::Text),
            (true, false) => Ok(Source::File),
            (false, false) => {
                let (text, file) = (self.origin("runner.key"), self.origin("runner.key_file"));
                match rank(&text).cmp(&rank(&file)) {
                    std::cmp::Ordering::Greater => Ok(Source::Text),
                    std::cmp::Ordering::Less => Ok(Source::File),
                    std::cmp::Ordering::Equal => {
                        let message =
                            format!("both runner.key ({text}) and runner.key_file ({file}) are set");
                        Err(Problem::new(message).hint("keep only one of them"))
                    }
                }
            }
        }
    }

    fn warn_of_text(&self) {
        match self.origin("runner.key") {
            Origin::Flag(name) => {
                warn(&format!("{name} makes the key visible to other users of this machine: {SAFE_WAYS}"))
            }
            Origin::File(name) => warn_of_mode(Path::new(&name)),
            Origin::Default | Origin::Variable(_) => {}
        }
    }
}

/// Which layer a value came from: later ones win.
fn rank(origin: &Origin) -> u8 {
    match origin {
        Origin::Default => 0,
        Origin::File(_) => 1,
        Origin::Variable(_) => 2,
        Origin::Flag(_) => 3,
    }
}

/// The key in a file, without the end of its line.
fn read(path: &Path) -> Result<String, Problem> {
    let shown = path.display();
    let problem = |error| {
        let hint = "the path comes from --key-file, ACCORD_KEY_FILE or runner.key_file";
        Problem::new(format!("cannot read the key file {shown}: {error}")).hint(hint)
    };
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(problem)?;
    file.take(LONGEST_KEY_FILE + 1).read_to_string(&mut text).map_err(problem)?;
    let key = text.trim();
    if key.is_empty() || key.contains(char::is_whitespace) || text.len() as u64 > LONGEST_KEY_FILE {
        let found = match key.is_empty() {
            true => "nothing".to_owned(),
            false => format!("{} lines", text.lines().count()),
        };
        let message = format!("invalid key file {shown}: expected one key, got {found}");
        return Err(Problem::new(message).hint("create one with `accord keys create --role caller > FILE`"));
    }
    warn_of_mode(path);
    Ok(key.to_owned())
}

/// Says so where others can read a file with a key.
fn warn_of_mode(path: &Path) {
    let Ok(metadata) = std::fs::metadata(path) else { return };
    let mode = metadata.permissions().mode() & 0o777;
    if metadata.is_file() && mode & 0o077 != 0 {
        let path = path.display();
        warn(&format!(
            "{path} contains a key, and other users can read it (mode {mode:o}): run `chmod 600 {path}`"
        ));
    }
}

/// Once: a command may ask for its key several times.
fn warn(text: &str) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| output::message(&format!("warning: {text}\n")));
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::Flag;
    use super::*;

    fn key(file: &str, variables: &[(&str, &str)], flags: &[(&'static str, &'static str, &str)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("accord.toml"), file).unwrap();
        for name in ["a", "b", "empty", "two"] {
            let text = match name {
                "empty" => " \n".to_owned(),
                "two" => "one\ntwo\n".to_owned(),
                name => format!("from-{name}\n"),
            };
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let variables = variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let value = |text: &str| toml::Value::String(text.to_owned());
        let flags = flags.iter().map(|&(key, name, text)| Flag { key, name, value: value(text) }).collect();
        let config = Config::layer(folder.path(), flags, variables);
        match config.and_then(|config| config.key()) {
            Ok(key) => key.unwrap_or_default(),
            Err(problem) => format!("{problem:?}").replace(&folder.path().display().to_string(), "."),
        }
    }

    #[test]
    fn the_nearest_key_wins() {
        let (text, file) = ("[runner]\nkey = \"t\"\n", "[runner]\nkey_file = \"a\"\n");
        assert_eq!(key("", &[], &[]), "");
        assert_eq!(key(text, &[], &[]), "t");
        assert_eq!(key(file, &[], &[]), "from-a");
        assert_eq!(key(file, &[("ACCORD_KEY", "v")], &[]), "v");
        assert_eq!(key(text, &[("ACCORD_KEY_FILE", "b")], &[]), "from-b");
        assert_eq!(key(text, &[("ACCORD_RUNNER__KEY", "v")], &[]), "v");
        assert_eq!(key(file, &[("ACCORD_KEY", "v")], &[("runner.key_file", "--key-file", "b")]), "from-b");
        assert_eq!(key("", &[("ACCORD_KEY_FILE", "b")], &[("runner.key", "--key", "f")]), "f");
        assert_eq!(key("", &[("ACCORD_KEY", "v"), ("ACCORD_RUNNER__KEY", "v")], &[]), "v");
    }

    #[test]
    fn ambiguous_keys_are_rejected() {
        let both = key("[runner]\nkey = \"t\"\nkey_file = \"a\"\n", &[], &[]);
        assert!(both.contains("both runner.key (") && both.contains("keep only one of them"), "{both}");
        let both = key("", &[("ACCORD_KEY", "secret-1"), ("ACCORD_RUNNER__KEY", "secret-2")], &[]);
        assert!(both.contains("ACCORD_KEY") && both.contains("ACCORD_RUNNER__KEY"), "{both}");
        assert!(!both.contains("secret-"), "{both}");
    }

    #[test]
    fn files_without_a_key_are_named() {
        let file = |name: &str| key("", &[("ACCORD_KEY_FILE", name)], &[]);
        assert!(file("gone").contains("cannot read the key file ./gone"), "{}", file("gone"));
        assert!(file("empty").contains("expected one key, got nothing"), "{}", file("empty"));
        assert!(file("two").contains("expected one key, got 2 lines"), "{}", file("two"));
        assert!(file("/dev/zero").contains("expected one key"), "{}", file("/dev/zero"));
    }
}
