//! The table in `docs/guides/operations.md`, row by row: what a sandboxed command can read and
//! write.

use std::path::Path;

use accord_executor::Toolbox;

use crate::sandbox::{Folders, run};

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    what: String,
    paths: Vec<String>,
    read: bool,
    write: bool,
}

fn table() -> Vec<Row> {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/operations.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let (_, section) = guide.split_once("### What confined commands can read and write").unwrap();
    let lines = section.lines().filter(|line| line.starts_with('|')).skip(2);
    lines.map(row).collect()
}

fn row(line: &str) -> Row {
    let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
    let [what, paths, read, write] = cells.as_slice() else { panic!("{line}") };
    let says = |cell: &str| match cell {
        "yes" => true,
        "no" => false,
        other => panic!("expected yes or no, got {other:?} in {line}"),
    };
    Row {
        what: (*what).to_owned(),
        paths: paths.split('`').skip(1).step_by(2).map(str::to_owned).collect(),
        read: says(read),
        write: says(write),
    }
}

/// Reads a file or lists a folder; writes a file without changing it, or creates one in a folder.
const TRY: &str = r#"
for path in $PATHS; do
    [ -e "$path" ] || continue
    if [ -d "$path" ]; then
        ls "$path" > /dev/null 2>&1 && read=yes || read=no
        (: > "$path/.accord-test") 2> /dev/null && write=yes || write=no
        rm -f "$path/.accord-test" 2> /dev/null
    else
        dd if="$path" of=/dev/null bs=1 count=0 2> /dev/null && read=yes || read=no
        (: >> "$path") 2> /dev/null && write=yes || write=no
    fi
    echo "TRIED $path $read $write"
done"#;

#[tokio::test]
async fn every_line_of_the_guide_holds() {
    let folders = Folders::new();
    let Some(tools) = folders.confined(&[]) else { return };
    let rows = table();
    assert_eq!(rows.len(), 13, "{rows:#?}");
    let mut wrong = Vec::new();
    for row in rows.iter().filter(|row| !row.paths.is_empty()) {
        let tried = tried(tools.as_ref(), row).await;
        assert!(!tried.is_empty(), "none of these paths is on this machine: {row:?}");
        let word = |yes: bool| if yes { "yes" } else { "no" };
        for (path, read, write) in tried {
            if (read.as_str(), write.as_str()) != (word(row.read), word(row.write)) {
                wrong.push(format!("{path}: read {read}, write {write}; expected {row:?}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// The paths of a row that exist on this machine, and whether each can be read and written.
async fn tried(tools: &dyn Toolbox, row: &Row) -> Vec<(String, String, String)> {
    // Without a terminal, `/dev/tty` exists but cannot be opened.
    let paths: Vec<&str> = row.paths.iter().map(String::as_str).filter(|path| *path != "/dev/tty").collect();
    let (_, text) = run(tools, &format!("PATHS=\"{}\"{TRY}", paths.join(" "))).await;
    let lines = text.lines().filter_map(|line| line.strip_prefix("TRIED "));
    let words = lines.map(|line| line.split(' ').map(str::to_owned).collect::<Vec<String>>());
    words.map(|words| <[String; 3]>::try_from(words).unwrap().into()).collect()
}

/// The rows of the table that name no path.
#[tokio::test]
async fn folders_of_the_search_path_can_be_read_and_not_written() {
    let folders = Folders::new();
    let bin = folders.elsewhere.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("hello"), "#!/bin/sh\necho hello\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bin.join("hello"), executable).unwrap();
    let Some(tools) = folders.with_search_path(&bin) else { return };
    let (ok, text) = run(tools.as_ref(), "hello && cat \"$(command -v hello)\" > /dev/null").await;
    assert!(ok && text.contains("hello"), "{text}");
    let (ok, text) = run(tools.as_ref(), &format!("echo worse > {}/hello", bin.display())).await;
    assert!(!ok && text.contains("Permission denied"), "{text}");
    assert!(!run(tools.as_ref(), &format!("cat {}", folders.file().display())).await.0);
}

/// The command lines of other processes of this user may contain a key.
#[tokio::test]
async fn nothing_is_read_about_other_processes() {
    let folders = Folders::new();
    let Some(tools) = folders.confined(&[]) else { return };
    for file in ["cmdline", "environ", "maps", "mem", "status", "stat", "cgroup", "mountinfo"] {
        for process in ["$PPID", "1", "self", "thread-self"] {
            let command = format!("head -c 100 /proc/{process}/{file}");
            let (ok, text) = run(tools.as_ref(), &command).await;
            assert!(!ok && text.contains("Permission denied"), "{command}: {text}");
        }
    }
    for command in ["ls /proc", "ls /proc/$PPID/fd", "ls /proc/$PPID/task", "readlink /proc/$PPID/exe"] {
        assert!(!run(tools.as_ref(), command).await.0, "{command}");
    }
}

#[tokio::test]
async fn no_key_is_in_the_environment() {
    let folders = Folders::new();
    let secret = ["ACCORD_KEY", "ACCORD_RUNNER__KEY", "ACCORD_DATABASE__URL", "ANTHROPIC_API_KEY", "LAB"];
    let plain = ["PATH", "LANG"];
    let all = secret.into_iter().chain(plain);
    let all =
        all.map(|name| (name.into(), if name == "PATH" { "/usr/bin:/bin" } else { "value-of-it" }.into()));
    let variables = accord_executor::Variables::new(all, ["LAB".to_owned()]);
    let Some(tools) = folders.with_variables(variables) else { return };
    let (ok, text) = run(tools.as_ref(), "env").await;
    assert!(ok && text.contains("LANG=value-of-it"), "{text}");
    for name in secret {
        assert!(!text.contains(&format!("{name}=")), "{name}: {text}");
    }
}

/// Programs that agents commonly use, if they are installed.
#[tokio::test]
async fn programs_work() {
    let folders = Folders::new();
    let Some(tools) = folders.confined(&[]) else { return };
    let commands = [
        (
            "/usr/bin/python3",
            "import json, ssl, os, subprocess, tempfile, pwd; pwd.getpwuid(os.getuid()); \
          ssl.create_default_context(); tempfile.NamedTemporaryFile(); print(subprocess.check_output(['echo', 'works']))",
        ),
        (
            "/usr/bin/node",
            "console.log(require('os').cpus().length > 0 && require('child_process').execSync('echo works').toString())",
        ),
        ("/usr/bin/perl", "use File::Temp; use Socket; print qx(echo works)"),
    ];
    let flag = |program: &str| if program.ends_with("python3") { "-c" } else { "-e" };
    for (program, script) in commands.iter().filter(|(program, _)| Path::new(program).exists()) {
        let (ok, text) = run(tools.as_ref(), &format!("{program} {} \"{script}\"", flag(program))).await;
        assert!(ok && text.contains("works") && !text.contains("[stderr]"), "{program}: {text}");
    }
    let script = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m works && git log --oneline";
    for (program, command) in [
        ("git", script),
        ("gcc", "printf 'int main(){return 0;}' > a.c && gcc a.c -o a && ./a && echo works"),
        ("java", "java -version 2>&1 && echo works"),
        ("make", "printf 'all:\\n\\t@echo works\\n' > Makefile && make"),
        ("bash", "bash -c 'cat <(echo works)'"),
    ] {
        let (_, found) = run(tools.as_ref(), &format!("command -v {program} || echo absent")).await;
        if found.contains("absent") {
            continue;
        }
        let (ok, text) = run(tools.as_ref(), command).await;
        assert!(ok && text.contains("works"), "{program}: {text}");
    }
}

/// Cargo is in the home folder and therefore has to be listed.
#[tokio::test]
async fn cargo_works_if_its_folders_are_listed() {
    let folders = Folders::new();
    let Some(home) = std::env::home_dir() else { return };
    let own = [home.join(".cargo"), home.join(".rustup")];
    if !own.iter().all(|folder| folder.exists()) {
        return;
    }
    let Some(tools) = folders.confined(&[&own[0], &own[1]]) else { return };
    let command = "cargo init -q --vcs none --name tried . && cargo run -q --offline --target-dir target";
    let (ok, text) = run(tools.as_ref(), command).await;
    assert!(ok && text.contains("Hello, world!"), "{text}");
}
