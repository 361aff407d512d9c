//! What commands of the `run_command` tool can access. This needs a kernel with Landlock: without
//! it, these tests are skipped with a reason. In continuous integration (`CI` is set), a skipped
//! test fails if the kernel has Landlock.
#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::path::{Path, PathBuf};

use accord_executor::{BuiltinTools, OpenError, Toolbox, Toolboxes, Variables};
use serde_json::json;
use tempfile::{TempDir, tempdir};

use crate::support::call;

/// A project folder, and a folder next to it with a file that the project must not touch.
pub(crate) struct Folders {
    project: TempDir,
    pub(crate) elsewhere: TempDir,
}

impl Folders {
    pub(crate) fn new() -> Self {
        let folders = Self { project: tempdir().unwrap(), elsewhere: tempdir().unwrap() };
        std::fs::write(folders.file(), "precious").unwrap();
        std::os::unix::fs::symlink(folders.elsewhere.path(), folders.project.path().join("link")).unwrap();
        folders
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.elsewhere.path().join("file")
    }

    fn open(&self, folders: &[&Path]) -> Result<Box<dyn Toolbox>, OpenError> {
        let folders = folders.iter().map(|&folder| folder.to_owned()).collect();
        let tools = BuiltinTools::new(std::env::vars_os()).with_command_folders(folders);
        tools.open(&["run_command".to_owned()], self.project.path())
    }

    /// The tools, if commands can be sandboxed.
    pub(crate) fn confined(&self, folders: &[&Path]) -> Option<Box<dyn Toolbox>> {
        opened(self.open(folders))
    }

    /// The tools with these variables, if commands can be sandboxed.
    pub(crate) fn with_variables(&self, variables: Variables) -> Option<Box<dyn Toolbox>> {
        opened(BuiltinTools::new(variables).open(&["run_command".to_owned()], self.project.path()))
    }

    /// The tools with another folder of programs, if commands can be sandboxed.
    pub(crate) fn with_search_path(&self, folder: &Path) -> Option<Box<dyn Toolbox>> {
        let path = format!("{}:/usr/bin:/bin", folder.display());
        self.with_variables(Variables::new([("PATH".into(), path.into())], []))
    }
}

/// The tools, unless commands cannot be sandboxed here.
fn opened(tools: Result<Box<dyn Toolbox>, OpenError>) -> Option<Box<dyn Toolbox>> {
    tools.inspect_err(skip).ok()
}

/// Prints why a test is skipped, or fails if it must not be.
fn skip(error: &OpenError) {
    let version = landlock_version();
    let has_landlock = version.is_some_and(|version| version >= NEEDED_VERSION);
    assert!(!has_landlock, "the kernel has Landlock {version:?}, and commands cannot be confined: {error}");
    let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(
        !(in_ci && version.is_none() && may_have_landlock()),
        "whether the kernel has Landlock could not be found out (is python3 installed?), and commands cannot be confined: \
         {error}"
    );
    eprintln!("SKIPPED, nothing about confinement was tested: {error}");
}

/// The first version of Landlock that covers every way to change a file.
const NEEDED_VERSION: i32 = 3;

/// The kernel's version of Landlock, queried by another program than the one under test; `None` if
/// that is not possible.
fn landlock_version() -> Option<i32> {
    let ask = "import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))";
    let told = std::process::Command::new("python3").args(["-c", ask]).output().ok()?;
    String::from_utf8_lossy(&told.stdout).trim().parse().ok()
}

/// Whether the kernel was started with Landlock, if it reports that.
fn may_have_landlock() -> bool {
    let modules = std::fs::read_to_string("/sys/kernel/security/lsm");
    cfg!(target_os = "linux") && modules.map_or(true, |modules| modules.contains("landlock"))
}

pub(crate) async fn run(tools: &dyn Toolbox, command: &str) -> (bool, String) {
    let output = call(tools, "run_command", json!({"command": command, "timeout_seconds": null})).await;
    (output.ok, output.text)
}

#[tokio::test]
async fn nothing_outside_is_read_or_changed() {
    let folders = Folders::new();
    let Some(tools) = folders.confined(&[]) else { return };
    let file = folders.file().display().to_string();
    let up = format!("../{}", folders.elsewhere.path().file_name().unwrap().to_str().unwrap());
    let commands = [
        format!("cat {file}"),
        format!("cat {up}/file"),
        "cat link/file".to_owned(),
        format!("cd {up} && cat file"),
        format!("ls {}", folders.elsewhere.path().display()),
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
    assert_eq!(std::fs::read_to_string(folders.file()).unwrap(), "precious");
    assert_eq!(std::fs::read_dir(folders.elsewhere.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn the_project_and_a_temporary_folder_are_accessible() {
    let folders = Folders::new();
    let Some(tools) = folders.confined(&[]) else { return };
    let command = "mkdir -p a/b && echo one > a/b/c && cat a/b/c && mv a/b d && rm -r a && ls d > /dev/null && test $(head -c 4 /dev/urandom | wc -c) = 4 \
        && echo $TMPDIR && test $HOME = $TMPDIR && test $(ls -A $TMPDIR | wc -l) = 0 && echo two > $TMPDIR/x && cat $TMPDIR/x";
    let (ok, text) = run(tools.as_ref(), command).await;
    let lines: Vec<&str> = text.lines().collect();
    let [_, _, one, temporary, two] = lines.as_slice() else { panic!("{text}") };
    assert!(ok && (*one, *two) == ("one", "two"), "{text}");
    assert!(!Path::new(temporary).exists(), "{temporary}");
    assert_eq!(std::fs::read_to_string(folders.project.path().join("d/c")).unwrap(), "one\n");
}

#[tokio::test]
async fn listed_folders_are_accessible() {
    let folders = Folders::new();
    let Some(tools) = folders.confined(&[folders.elsewhere.path()]) else { return };
    let (ok, text) = run(tools.as_ref(), "cat link/file && echo better > link/file").await;
    assert!(ok && text.ends_with("precious"), "{text}");
    assert_eq!(std::fs::read_to_string(folders.file()).unwrap(), "better\n");
    let alone = [folders.file()];
    let Some(tools) = folders.confined(&[&alone[0]]) else { return };
    assert!(run(tools.as_ref(), "cat link/file").await.0);
    assert!(!run(tools.as_ref(), "echo x > link/other").await.0);
}

#[tokio::test]
async fn the_sandbox_can_be_turned_off() {
    let folders = Folders::new();
    let tools = folders.open(&[Path::new("/")]).unwrap();
    let (ok, text) = run(tools.as_ref(), "cat link/file").await;
    assert!(ok && text.ends_with("precious"), "{text}");
}

#[test]
fn a_missing_listed_folder_is_named() {
    let folders = Folders::new();
    if folders.confined(&[]).is_none() {
        return;
    }
    let gone = folders.elsewhere.path().join("gone");
    let error = folders.open(&[&gone]).err().unwrap();
    let expected = format!("invalid folder '{}' in runner.command_folders: ", gone.display());
    assert!(matches!(&error, OpenError::Settings(text) if text.starts_with(&expected)), "{error}");
}
