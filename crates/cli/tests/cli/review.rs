//! `accord review` in a git repository: which changes it reviews, and which it rejects.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Folder, Ran};
use crate::templates::init;

/// A project with the recorded reviewers in a git repository with one commit.
fn repository() -> Folder {
    let folder = init("code-review");
    git(&folder, &["init", "--quiet", "--initial-branch=main"]);
    folder.write("src/a.rs", b"fn one() {}\nfn two() {}\n");
    folder.write("logo.png", b"\x89PNG\0\0");
    git(&folder, &["add", "src", "logo.png"]);
    commit(&folder, "Add two functions");
    folder
}

fn git(folder: &Folder, arguments: &[&str]) {
    let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
    let output =
        Command::new("git").current_dir(folder.path()).args(identity).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

fn commit(folder: &Folder, subject: &str) {
    git(folder, &["commit", "--quiet", "--all", "--message", subject]);
}

/// The title and diff that the reviewers would get. The recordings are of another change, so the
/// run fails and its input is read from the error.
fn reviewed(folder: &Folder, arguments: &[&str], stdin: &str) -> (String, String) {
    let ran = folder.run(&[&["review", "--json"], arguments].concat(), stdin);
    let review = ran.json();
    let id = review.get("workflow_run_id").and_then(Value::as_str).unwrap_or_default();
    assert_ne!(id, "", "{ran:?}");
    let shown = folder.run(&["workflow", "show", id, "--json"], "").json();
    let text = |name: &str| {
        shown.pointer(&format!("/input/{name}")).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    (text("title"), text("diff"))
}

fn refused(ran: &Ran, expected: &str) {
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains(expected), "expected '{expected}' in {}", ran.stderr);
}

#[test]
fn the_recorded_change_is_reviewed() {
    let folder = init("code-review");
    let ran = folder.run(&["review", "--diff", ".accord/inputs/change.diff"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for words in [
        "Review of Let tools read files of the workspace",
        "src/workspace.rs\n    11  blocker  Path traversal",
        "raised by security, correctness",
        "src/workspace.rs:11  flagged by one, cleared by another",
        "conventions (line 10)  cleared",
        "4 findings: 2 blocker, 1 minor, 1 nit",
    ] {
        assert!(ran.stdout.contains(words), "no '{words}' in {}", ran.stdout);
    }
    let diff = std::fs::read_to_string(folder.path().join(".accord/inputs/change.diff")).unwrap();
    let ran = folder.run(&["review", "-", "--json", "--fail-on", "major"], diff);
    assert_eq!((ran.code, &ran.json()["failing"]), (Some(2), &json!(2)), "{ran:?}");
    assert_eq!(ran.json()["findings"][1]["raisedBy"], json!(["security", "correctness"]));
}

#[test]
fn uncommitted_changes_are_reviewed_staged_or_not() {
    let folder = repository();
    let nothing = folder.run(&["review"], "");
    assert_eq!((nothing.code, nothing.stdout.as_str()), (Some(0), "Nothing to review.\n"), "{nothing:?}");
    folder.write("src/a.rs", b"fn one() {}\nfn two() {}\nfn three() {}\n");
    folder.write("src/b.rs", b"fn staged() {}\n");
    folder.write("src/c.rs", b"fn untracked() {}\n");
    folder.write("logo.png", b"\x89PNG\0\x01");
    git(&folder, &["add", "src/b.rs"]);
    let (title, diff) = reviewed(&folder, &[], "");
    assert_eq!(title, "Uncommitted changes");
    assert!(diff.contains("+fn three() {}\n") && diff.contains("+fn staged() {}\n"), "{diff}");
    assert!(!diff.contains("untracked") && !diff.contains("logo.png"), "{diff}");
    // The recordings are of another change.
    let ran = folder.run(&["review"], "");
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stdout.contains("no reviewer finished.\n  security: "), "{ran:?}");
    assert!(ran.stderr.contains("replay recordings") && ran.stderr.contains("type: llm"), "{ran:?}");
    assert!(ran.stderr.contains("binary files are not reviewed: logo.png"), "{ran:?}");
    assert!(ran.stderr.contains("note: 1 untracked file not reviewed"), "{ran:?}");
    let (_, diff) = reviewed(&folder, &["--", "src/b.rs"], "");
    assert!(!diff.contains("three") && diff.contains("staged"), "{diff}");
}

#[test]
fn commits_and_ranges_are_reviewed() {
    let folder = repository();
    folder.write("src/a.rs", b"fn one() {}\n");
    commit(&folder, "Remove a function");
    let (title, diff) = reviewed(&folder, &["HEAD"], "");
    assert_eq!(title, "Remove a function");
    assert!(diff.contains("-fn two() {}\n"), "{diff}");
    // The first commit has no parent.
    let (title, diff) = reviewed(&folder, &["HEAD~1"], "");
    assert_eq!(title, "Add two functions");
    assert!(diff.contains("+fn two() {}\n"), "{diff}");
    let (title, diff) = reviewed(&folder, &["HEAD~1..HEAD", "--title", "Both"], "");
    assert_eq!(title, "Both");
    assert!(diff.contains("-fn two() {}\n"), "{diff}");
}

/// The git configuration of a repository changes neither the format of a diff nor the programs that
/// write it.
/// Settings of a repository that name a program, and other settings that make git use it. `PROGRAM` is the program.
const PROGRAMS: [&[(&str, &str)]; 18] = [
    // These name none, and change nothing either.
    &[("diff.noprefix", "true"), ("diff.mnemonicPrefix", "true"), ("color.ui", "always")],
    &[("filter.evil.clean", "PROGRAM")],
    &[("filter.evil.process", "PROGRAM")],
    &[("filter.evil.smudge", "PROGRAM"), ("filter.evil.clean", "PROGRAM"), ("filter.evil.required", "true")],
    &[("diff.evil.textconv", "PROGRAM")],
    &[("diff.evil.command", "PROGRAM")],
    &[("diff.external", "PROGRAM")],
    &[("diff.evil.binary", "true"), ("diff.evil.textconv", "PROGRAM")],
    &[("core.fsmonitor", "PROGRAM")],
    &[("core.pager", "PROGRAM")],
    &[("pager.diff", "PROGRAM"), ("pager.log", "PROGRAM")],
    &[("core.hooksPath", "hooks")],
    &[("gpg.program", "PROGRAM"), ("log.showSignature", "true")],
    &[("gpg.ssh.program", "PROGRAM"), ("gpg.format", "ssh"), ("log.showSignature", "true")],
    &[("core.sshCommand", "PROGRAM"), ("remote.origin.promisor", "true"), ("remote.origin.url", "ssh://h/x")],
    &[
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", "ext::PROGRAM"),
        ("protocol.ext.allow", "always"),
    ],
    &[("core.alternateRefsCommand", "PROGRAM"), ("credential.helper", "PROGRAM")],
    &[("alias.diff", "!PROGRAM"), ("alias.log", "!PROGRAM"), ("alias.rev-parse", "!PROGRAM")],
];

#[test]
fn no_program_that_a_repository_names_is_run() {
    for settings in PROGRAMS {
        let folder = repository();
        let noted = folder.path().join("ran");
        let program = folder.path().join("evil.sh");
        folder.write(
            "evil.sh",
            format!("#!/bin/sh\necho x >> {}\nexec sleep 600\n", noted.display()).as_bytes(),
        );
        let mut hooks = vec![program.clone()];
        for hook in ["post-index-change", "pre-auto-gc", "fsmonitor-watchman", "reference-transaction"] {
            folder.write(&format!("hooks/{hook}"), std::fs::read(&program).unwrap().as_slice());
            hooks.push(folder.path().join("hooks").join(hook));
        }
        for file in hooks {
            std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        folder.write(".gitattributes", b"*.rs filter=evil diff=evil\n");
        git(&folder, &["add", ".gitattributes"]);
        folder.write("src/a.rs", b"fn one() {}\n");
        commit(&folder, "Remove a function");
        folder.write("src/a.rs", b"fn one() {}\nfn new() {}\n");
        // The parent is missing, as in a partial clone: git would fetch it.
        if settings.iter().any(|(name, _)| name.starts_with("remote.")) {
            let output =
                Command::new("git").current_dir(folder.path()).args(["rev-parse", "HEAD:src/a.rs"]).output();
            let id = String::from_utf8(output.unwrap().stdout).unwrap();
            let (first, rest) = id.trim().split_at(2);
            std::fs::remove_file(folder.path().join(".git/objects").join(first).join(rest)).unwrap();
            git(&folder, &["config", "extensions.partialClone", "origin"]);
            git(&folder, &["config", "core.repositoryFormatVersion", "1"]);
        }
        for (name, value) in settings {
            let value = value.replace("PROGRAM", program.to_str().unwrap());
            git(&folder, &["config", name, &value]);
        }
        for arguments in [&["review", "--json"][..], &["review", "--json", "HEAD"]] {
            let ran = folder.run(arguments, "");
            assert!(!noted.exists(), "{settings:?} {arguments:?}: {ran:?}");
        }
        if settings.iter().any(|(name, _)| name.starts_with("filter.") || *name == "diff.noprefix") {
            let (_, diff) = reviewed(&folder, &[], "");
            let shown = ["--- a/src/a.rs\n+++ b/src/a.rs\n", "+fn new() {}\n"];
            assert!(shown.iter().all(|part| diff.contains(part)), "{settings:?}: {diff}");
        }
    }
}

#[test]
fn errors_name_what_cannot_be_reviewed() {
    let folder = repository();
    refused(&folder.run(&["review", "nowhere"], ""), "unknown revision 'nowhere'");
    refused(&folder.run(&["review", "nowhere..HEAD"], ""), "unknown revision 'nowhere'");
    refused(&folder.run(&["review", " "], ""), "invalid revision");
    assert_eq!(folder.run(&["review", "--output=x"], "").code, Some(1));
    refused(
        &folder.run(&["review", "-"], "{\"title\": \"x\"}"),
        "<stdin> cannot be read: not a unified diff",
    );
    let cut = "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n";
    refused(&folder.run(&["review", "-"], cut), "line 4: the diff ends inside a hunk");
    refused(&folder.run(&["review", "--diff", "none.diff"], ""), "cannot read none.diff");
    folder.write("src/large.rs", "// a line of some length\n".repeat(20_000).as_bytes());
    git(&folder, &["add", "src/large.rs"]);
    let ran = folder.run(&["review"], "");
    refused(&ran, "the change is too large to review");
    assert!(ran.stderr.contains("src/large.rs") && ran.stderr.contains("-- PATH"), "{ran:?}");
    let binary = "diff --git a/l.png b/l.png\nBinary files a/l.png and b/l.png differ\n";
    let ran = folder.run(&["review", "-", "--json"], binary);
    assert_eq!((ran.code, &ran.json()["binary_files"]), (Some(0), &json!(["l.png"])), "{ran:?}");
}

#[test]
fn a_project_without_the_workflow_gets_a_hint() {
    let advice = "accord init --template code-review";
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";
    for folder in [init("start"), Folder::with(&[])] {
        let ran = folder.run(&["review", "-"], diff);
        refused(&ran, advice);
        assert!(!folder.path().join(".accord/accord.db").exists());
    }
    refused(&init("start").run(&["review", "-", "--workflow", "other"], diff), "workflow 'other' not found");
    let outside = Folder::with(&[]);
    refused(&outside.run(&["review"], ""), "not in a git repository");
}
