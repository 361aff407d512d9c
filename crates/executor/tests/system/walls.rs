//! What commands of the `run_command` tool reach. It takes a kernel with Landlock; without one these tests are skipped, and
//! that is said.
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::path::{Path, PathBuf};

use accord_executor::{BuiltinTools, OpenError, Toolbox, Toolboxes};
use serde_json::json;
use tempfile::{TempDir, tempdir};

use crate::support::call;

/// A project folder, and one beside it with a file that nobody in the project may touch.
struct Place {
    project: TempDir,
    elsewhere: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { project: tempdir().unwrap(), elsewhere: tempdir().unwrap() };
        std::fs::write(place.file(), "precious").unwrap();
        std::os::unix::fs::symlink(place.elsewhere.path(), place.project.path().join("link")).unwrap();
        place
    }

    fn file(&self) -> PathBuf {
        self.elsewhere.path().join("file")
    }

    fn open(&self, folders: &[&Path]) -> Result<Box<dyn Toolbox>, OpenError> {
        let folders = folders.iter().map(|&folder| folder.to_owned()).collect();
        let tools = BuiltinTools::new(std::env::vars_os()).with_command_folders(folders);
        tools.open(&["run_command".to_owned()], self.project.path())
    }

    /// The tools, where commands can be confined.
    fn confined(&self, folders: &[&Path]) -> Option<Box<dyn Toolbox>> {
        match self.open(folders) {
            Ok(tools) => Some(tools),
            Err(error) => {
                assert!(!kernel_confines(), "{error}");
                eprintln!("SKIPPED: {error}");
                None
            }
        }
    }
}

/// Whether the kernel has what is needed, asked by somebody else: the version of Landlock.
fn kernel_confines() -> bool {
    let ask = "import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))";
    let told = std::process::Command::new("python3").args(["-c", ask]).output();
    told.is_ok_and(|told| {
        String::from_utf8_lossy(&told.stdout).trim().parse::<i32>().is_ok_and(|version| version >= 3)
    })
}

async fn run(tools: &dyn Toolbox, command: &str) -> (bool, String) {
    let output = call(tools, "run_command", json!({"command": command, "timeout_seconds": null})).await;
    (output.ok, output.text)
}

#[tokio::test]
async fn nothing_outside_is_read_or_changed() {
    let place = Place::new();
    let Some(tools) = place.confined(&[]) else { return };
    let file = place.file().display().to_string();
    let up = format!("../{}", place.elsewhere.path().file_name().unwrap().to_str().unwrap());
    let commands = [
        format!("cat {file}"),
        format!("cat {up}/file"),
        "cat link/file".to_owned(),
        format!("cd {up} && cat file"),
        format!("ls {}", place.elsewhere.path().display()),
        format!("echo worse > {file}"),
        format!("echo worse >> {file}"),
        "echo worse > link/file".to_owned(),
        "echo new > link/new".to_owned(),
        format!("truncate -s 0 {file}"),
        format!("rm {file}"),
        format!("mv {file} here"),
        format!("ln {file} here"),
        format!("sh -c 'setsid cat {file}'"),
        format!("cp /bin/cat ./cat && ./cat {file}"),
        "mkdir ../beside".to_owned(),
        "ls /dev".to_owned(),
        "echo x > /etc/accord-test".to_owned(),
        "touch /tmp/accord-test".to_owned(),
    ];
    for command in commands {
        let (ok, text) = run(tools.as_ref(), &command).await;
        assert!(!ok && !text.contains("precious"), "{command}: {text}");
        let refused = ["Permission denied", "cross-device"].iter().any(|words| text.contains(words));
        assert!(refused, "{command}: {text}");
    }
    assert_eq!(std::fs::read_to_string(place.file()).unwrap(), "precious");
    assert_eq!(std::fs::read_dir(place.elsewhere.path()).unwrap().count(), 1);
}

/// Root may read what `/proc` shows of anybody; these walls are for whoever runs the tests.
#[tokio::test]
async fn the_variables_of_the_runner_are_not_shown() {
    let place = Place::new();
    let Some(tools) = place.confined(&[]) else { return };
    for file in ["environ", "maps", "mem"] {
        let (ok, text) = run(tools.as_ref(), &format!("head -c 100 /proc/$PPID/{file}")).await;
        assert!(!ok, "{file}: {text}");
    }
    let (ok, text) = run(tools.as_ref(), "head -c 1 /proc/self/environ && cat /proc/meminfo").await;
    assert!(ok, "{text}");
}

#[tokio::test]
async fn the_project_and_a_temporary_folder_are_there() {
    let place = Place::new();
    let Some(tools) = place.confined(&[]) else { return };
    let command = "mkdir -p a/b && echo one > a/b/c && cat a/b/c && mv a/b d && rm -r a && ls d > /dev/null && test $(head -c 4 /dev/urandom | wc -c) = 4 \
        && echo $TMPDIR && test $HOME = $TMPDIR && test $(ls -A $TMPDIR | wc -l) = 0 && echo two > $TMPDIR/x && cat $TMPDIR/x";
    let (ok, text) = run(tools.as_ref(), command).await;
    let lines: Vec<&str> = text.lines().collect();
    let [_, _, one, temporary, two] = lines.as_slice() else { panic!("{text}") };
    assert!(ok && (*one, *two) == ("one", "two"), "{text}");
    assert!(!Path::new(temporary).exists(), "{temporary}");
    assert_eq!(std::fs::read_to_string(place.project.path().join("d/c")).unwrap(), "one\n");
}

#[tokio::test]
async fn folders_that_are_listed_are_within_reach() {
    let place = Place::new();
    let Some(tools) = place.confined(&[place.elsewhere.path()]) else { return };
    let (ok, text) = run(tools.as_ref(), "cat link/file && echo better > link/file").await;
    assert!(ok && text.ends_with("precious"), "{text}");
    assert_eq!(std::fs::read_to_string(place.file()).unwrap(), "better\n");
    let alone = [place.file()];
    let Some(tools) = place.confined(&[&alone[0]]) else { return };
    assert!(run(tools.as_ref(), "cat link/file").await.0);
    assert!(!run(tools.as_ref(), "echo x > link/other").await.0);
}

#[tokio::test]
async fn everything_is_within_reach_where_the_settings_say_so() {
    let place = Place::new();
    let tools = place.open(&[Path::new("/")]).unwrap();
    let (ok, text) = run(tools.as_ref(), "cat link/file").await;
    assert!(ok && text.ends_with("precious"), "{text}");
}

#[test]
fn a_listed_folder_that_is_not_there_is_named() {
    let place = Place::new();
    if place.confined(&[]).is_none() {
        return;
    }
    let gone = place.elsewhere.path().join("gone");
    let error = place.open(&[&gone]).err().unwrap();
    let expected = format!("'{}' of runner.command_folders cannot be used: ", gone.display());
    assert!(matches!(&error, OpenError::Settings(text) if text.starts_with(&expected)), "{error}");
}
