//! File tools, and every known way out of the project folder.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use accord_executor::Toolbox;
use proptest::prelude::*;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{call, every_tool};

const SECRET: &str = "the text that must not be seen";

/// A project folder next to a file that no tool may read or change.
struct House {
    root: TempDir,
    tools: Box<dyn Toolbox>,
}

impl House {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let project = root.path().join("project");
        fs::create_dir_all(project.join("a/b")).unwrap();
        fs::create_dir(root.path().join("outside")).unwrap();
        fs::write(root.path().join("outside/secret"), SECRET).unwrap();
        fs::write(root.path().join("secret"), SECRET).unwrap();
        fs::write(project.join("a/inside"), "inside").unwrap();
        let tools = every_tool(&project);
        Self { root, tools }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.root.path().join("project").join(path)
    }

    /// Uses a path with every file tool and returns their outputs.
    async fn try_everything(&self, path: &str) -> Vec<String> {
        let mut said = Vec::new();
        for (tool, arguments) in [
            ("read_file", json!({"path": path})),
            ("list_files", json!({"path": path, "depth": 5})),
            ("search_files", json!({"path": path, "pattern": "text"})),
            ("write_file", json!({"path": path, "content": "overwritten"})),
            ("write_file", json!({"path": format!("{path}/new"), "content": "overwritten"})),
        ] {
            said.push(call(self.tools.as_ref(), tool, arguments).await.text);
        }
        said
    }

    /// Nothing outside was read, created or changed.
    fn is_whole(&self, said: &[String]) -> Result<(), String> {
        let listed = format!("secret ({} bytes)", SECRET.len());
        let seen =
            |text: &String| text.contains(SECRET) || text.contains(&listed) || text.contains("root:x:");
        if let Some(text) = said.iter().find(|text| seen(text)) {
            return Err(format!("seen: {text}"));
        }
        let mut names: Vec<_> =
            fs::read_dir(self.root.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        if names != ["outside", "project", "secret"] {
            return Err(format!("made: {names:?}"));
        }
        let outside = fs::read_dir(self.root.path().join("outside")).unwrap().count();
        let unchanged = |path: &str| fs::read_to_string(self.root.path().join(path)).unwrap() == SECRET;
        if outside != 1 || !unchanged("secret") || !unchanged("outside/secret") {
            return Err("changed".to_owned());
        }
        Ok(())
    }
}

#[tokio::test]
async fn no_path_leads_out() {
    let house = House::new();
    symlink("../secret", house.at("to-file")).unwrap();
    symlink("../outside", house.at("to-folder")).unwrap();
    symlink(house.root.path().join("secret"), house.at("absolute")).unwrap();
    symlink("/", house.at("root")).unwrap();
    symlink("../../..", house.at("a/b/up")).unwrap();
    symlink("to-folder", house.at("twice")).unwrap();
    symlink("/proc/self/cwd", house.at("magic")).unwrap();
    symlink("../not-there-yet", house.at("dangling")).unwrap();
    let absolute = house.root.path().join("secret");
    for path in [
        "..",
        "../secret",
        "a/../../secret",
        "./a/./.././../secret",
        "a/b/../../../outside/secret",
        "/etc/passwd",
        "//etc/passwd",
        absolute.to_str().unwrap(),
        "to-file",
        "to-folder",
        "to-folder/secret",
        "absolute",
        "root/etc/passwd",
        "a/b/up/secret",
        "twice/secret",
        "magic/secret",
        "dangling",
        "~/secret",
    ] {
        let said = house.try_everything(path).await;
        assert_eq!(house.is_whole(&said), Ok(()), "{path}");
    }
}

#[tokio::test]
async fn rejections_say_what_to_do() {
    let house = House::new();
    symlink("../secret", house.at("out")).unwrap();
    symlink("loop-b", house.at("loop-a")).unwrap();
    symlink("loop-a", house.at("loop-b")).unwrap();
    for (path, text) in [
        ("out", "'out' is outside the project folder; only files inside it can be used"),
        ("../secret", "'../secret' is outside the project folder; only files inside it can be used"),
        ("/etc/passwd", "'/etc/passwd' is absolute; use a path relative to the project folder"),
        ("a/gone", "'a/gone' does not exist; use list_files to see the existing files"),
        ("a/inside/x", "a parent of 'a/inside/x' is not a folder"),
        ("a", "'a' is a folder; use a file in it"),
        ("a\0b", "the path contains a NUL character; remove it"),
    ] {
        let output = call(house.tools.as_ref(), "read_file", json!({"path": path})).await;
        assert_eq!((output.ok, output.text.as_str()), (false, text));
    }
    let output = call(house.tools.as_ref(), "read_file", json!({"path": "loop-a"})).await;
    assert!(!output.ok && output.text.starts_with("'loop-a' cannot be used: "), "{}", output.text);
    let output = call(house.tools.as_ref(), "read_file", json!({"path": "a/".repeat(3000)})).await;
    assert_eq!(output.text, "the path is longer than 4096 bytes");
}

#[tokio::test]
async fn allows_paths_inside_the_folder() {
    let house = House::new();
    symlink("a", house.at("link")).unwrap();
    symlink(house.root.path().join("project"), house.root.path().join("project-link")).unwrap();
    let whole = house.at("a/inside");
    for path in ["a/inside", "./a//inside", "a/b/../inside", "link/inside", whole.to_str().unwrap()] {
        let output = call(house.tools.as_ref(), "read_file", json!({"path": path})).await;
        assert_eq!((output.ok, output.text.as_str()), (true, "1\tinside"), "{path}");
    }
    let tools = every_tool(&house.root.path().join("project-link"));
    let output = call(tools.as_ref(), "read_file", json!({"path": "a/inside"})).await;
    assert_eq!(output.text, "1\tinside");
}

#[tokio::test]
async fn pipes_and_devices_do_not_block() {
    let house = House::new();
    let made = Command::new("mkfifo").arg(house.at("pipe")).status().unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(house.at("socket")).unwrap();
    for name in ["pipe", "socket"] {
        let said = house.try_everything(name).await;
        let special = format!("'{name}' is neither a file nor a folder (a pipe, a socket or a device)");
        assert_eq!(said.get(..3), Some([special.clone(), special.clone(), special].as_slice()));
        let written = format!("'{name}' is a pipe, a socket or a device; use another name");
        assert_eq!(said.get(3), Some(&written));
    }
    let found = call(house.tools.as_ref(), "search_files", json!({"pattern": "inside"})).await;
    assert_eq!(found.text, "a/inside:1:inside");
}

#[tokio::test]
async fn huge_and_odd_files_are_answered() {
    let house = House::new();
    fs::File::create(house.at("sparse")).unwrap().set_len(1 << 40).unwrap();
    let odd = Path::new(OsStr::from_bytes(b"\xff\xfe")).to_owned();
    fs::write(house.root.path().join("project").join(odd), "text").unwrap();
    let output = call(house.tools.as_ref(), "read_file", json!({"path": "sparse"})).await;
    assert_eq!(output.text, "'sparse' is a binary file of 1099511627776 bytes and is not shown");
    let found = call(house.tools.as_ref(), "search_files", json!({"pattern": "text"})).await;
    assert_eq!(found.text, "\\xff\\xfe:1:text\n[1 files over 16 MiB were skipped]");
}

#[tokio::test]
async fn a_swapped_link_leads_nowhere() {
    let house = House::new();
    let over = AtomicBool::new(false);
    let (folder, link) = (house.at("switch"), house.at("switch.link"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                fs::create_dir(&folder).unwrap_or_default();
                fs::remove_dir_all(&folder).unwrap_or_default();
                symlink("../outside", &link).unwrap_or_default();
                fs::rename(&link, &folder).unwrap_or_default();
                fs::remove_file(&folder).unwrap_or_default();
            }
        });
        scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let outcome = runtime.block_on(async {
                let mut outcome = Ok(());
                for _ in 0..200 {
                    let mut said = house.try_everything("switch").await;
                    said.extend(house.try_everything("switch/secret").await);
                    outcome = outcome.and(house.is_whole(&said));
                }
                outcome
            });
            over.store(true, Ordering::Relaxed);
            assert_eq!(outcome, Ok(()));
        });
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_paths_lead_nowhere(parts in prop::collection::vec(
        prop_oneof![
            Just(".."), Just("."), Just(""), Just("a"), Just("b"), Just("out"), Just("up"), Just("secret"),
            Just("outside"), Just("inside"), Just("new"), Just("\0"), Just("~"), Just("\u{202e}"),
        ],
        0..7,
    )) {
        let house = House::new();
        symlink("../../outside", house.at("a/out")).unwrap();
        symlink("../../..", house.at("a/b/up")).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let said = runtime.block_on(house.try_everything(&parts.join("/")));
        prop_assert_eq!(house.is_whole(&said), Ok(()));
    }
}
