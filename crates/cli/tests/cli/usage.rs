//! Help, version, completions, and wrong usage.

use crate::support::Folder;

#[test]
fn wrong_usage_exits_with_one() {
    let folder = Folder::with(&[]);
    for arguments in [
        &[][..],
        &["chekc"],
        &["check"],
        &["check", "--shema", "x"],
        &["schema"],
        &["schema", "check"],
        &["schema", "lint"],
        &["schema", "lower", "s"],
        &["schema", "lower", "--for", "nobody", "s"],
        &["completions", "cmd"],
        &["check", "--schema", "s", "--input", "i"],
        &["agents"],
        &["agents", "show"],
        &["agents", "new"],
        &["agents", "new", "../escape"],
        &["agents", "push"],
        &["schemas", "add", "name"],
        &["sessions"],
        &["sessions", "show", "run_1"],
        &["sessions", "resume", "ses_1"],
        &["sessions", "list", "--status", "completed"],
        &["runs"],
        &["runs", "show", "ses_1"],
        &["runs", "watch"],
        &["runs", "stop"],
        &["runs", "list", "--status", "finished"],
        &["runs", "list", "--limit", "0"],
        &["runs", "list", "--limit", "5", "--all"],
        &["keys", "create"],
        &["keys", "create", "--role", "king"],
        &["keys", "rm", "accord_secret"],
        &["stats", "--since", "yesterday"],
        &["init", "--template", "none"],
    ] {
        let ran = folder.run(arguments, "");
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{arguments:?}");
        assert!(ran.stderr.contains("--help"), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn every_help_fits_and_most_teach_by_example() {
    let folder = Folder::with(&[]);
    for command in [
        "",
        "agents",
        "agents list",
        "agents new",
        "agents push",
        "agents show",
        "agents validate",
        "check",
        "completions",
        "coordinator",
        "doctor",
        "init",
        "keys",
        "keys create",
        "keys list",
        "keys rm",
        "mcp",
        "record",
        "replay",
        "run",
        "runner",
        "runs",
        "runs attempts",
        "runs list",
        "runs show",
        "runs stop",
        "runs watch",
        "schema",
        "schema check",
        "schema infer",
        "schemas",
        "schemas add",
        "schemas list",
        "schemas rm",
        "schemas show",
        "sessions",
        "sessions list",
        "sessions result",
        "sessions resume",
        "sessions show",
        "sessions stop",
        "stats",
        "up",
    ] {
        let command: Vec<&str> = command.split_whitespace().collect();
        let ran = folder.run(&[command.as_slice(), &["--help"]].concat(), "");
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{command:?}");
        assert!(ran.stdout.contains("Examples:\n  "), "{command:?}");
        for line in ran.stdout.lines() {
            assert!(line.chars().count() <= 100, "{command:?}: {line}");
        }
    }
}

#[test]
fn the_version_is_the_packages() {
    let ran = Folder::with(&[]).run(&["--version"], "");
    assert_eq!(ran.stdout, format!("accord {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
}

#[test]
fn completions_are_written_for_each_shell() {
    let folder = Folder::with(&[]);
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = folder.run(&["completions", shell], "");
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{shell}");
        assert!(ran.stdout.contains("accord") && ran.stdout.contains("jsonl"), "{shell}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let folder = Folder::with(&[("schema.json", "true")]);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = folder.command(&["schema", "check", "--json", "schema.json"]);
    let output = command.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: cannot write to stdout: No space left on device (os error 28)\n"
    );
}
