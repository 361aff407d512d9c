//! Help, version, completions, and wrong usage.

use serde_json::json;

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
        &["sessions", "rm"],
        &["sessions", "rm", "--before", "yesterday"],
        &["sessions", "rm", "--before", "1d", "ses_1"],
        &["sessions", "rm", "--dry-run", "ses_1"],
        &["runners"],
        &["workflow", "push"],
        &["workflow", "rm"],
        &["workflow", "stop"],
        &["workflow", "stop", "run_1"],
        &["agents", "rm"],
        &["run", "a", "x", "--no-wait", "--timeout", "5"],
        &["sessions", "list", "--status", "completed"],
        &["runs"],
        &["runs", "show", "ses_1"],
        &["runs", "watch"],
        &["runs", "stop"],
        &["runs", "steps"],
        &["runs", "fork", "run_1"],
        &["runs", "fork", "run_1", "--from", "x"],
        &["runs", "fork", "run_1", "--from", "1", "--timeout", "5"],
        &["runs", "fork", "run_1", "--from", "1", "--system-prompt", "a", "--system-prompt-file", "b"],
        &["runs", "diff", "run_1"],
        &["runs", "retry", "run_1", "--param"],
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
fn mistyped_commands_get_a_suggestion() {
    let folder = Folder::with(&[]);
    for (arguments, expected) in [
        (&["rnu"][..], "'run'"),
        (&["agnets", "list"], "'agents'"),
        (&["runs", "lsit"], "'list'"),
        (&["runs", "shwo", "run_1"], "'show'"),
    ] {
        let ran = folder.run(arguments, "");
        let tip = ran.stderr.lines().find(|line| line.contains("similar subcommand")).unwrap_or_default();
        assert!(ran.code == Some(1) && tip.contains(expected), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn wrong_usage_is_json_with_the_json_flag() {
    let folder = Folder::with(&[]);
    let told = |arguments: &[&str]| {
        let ran = folder.run(arguments, "");
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("--help"), "{ran:?}");
        ran.json()
    };
    let expected = json!({"error": {
        "message": "invalid value '0' for '--limit <N>': 0 is not in 1..=4294967295",
        "hint": "For more information, try '--help'.",
        "place": null,
    }});
    assert_eq!(told(&["runs", "list", "--limit", "0", "--json"]), expected);
    let expected = json!({"error": {
        "message": "unexpected argument '--shema' found",
        "hint": "a similar argument exists: '--schema'",
        "place": null,
    }});
    assert_eq!(told(&["check", "--json", "--shema", "x"]), expected);
    let missing = told(&["agents", "show", "--json"]);
    assert!(missing["error"]["message"].as_str().unwrap().ends_with("\n  <NAME>"), "{missing}");
    // After `--` it is not an option.
    assert_eq!(folder.run(&["runs", "show", "--", "--json"], "").stdout, "");
}

#[test]
fn a_closed_stdout_does_not_change_the_exit_code() {
    let folder = Folder::with(&[("integer.json", r#"{"type": "integer"}"#), ("accord.toml", "")]);
    let ends = |arguments: &[&str]| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = folder.command(arguments).stdout(writer).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap().lines().count())
    };
    std::fs::write(folder.path().join("good"), "5").unwrap();
    std::fs::write(folder.path().join("bad"), "x").unwrap();
    assert_eq!(ends(&["completions", "bash"]), (Some(0), 0));
    assert_eq!(ends(&["agents", "list"]).0, Some(0));
    assert_eq!(ends(&["check", "--json", "--schema", "integer.json", "good"]), (Some(0), 0));
    assert_eq!(ends(&["check", "--json", "--schema", "integer.json", "bad"]).0, Some(2));
    assert_eq!(ends(&["check", "--json", "--schema", "none.json", "bad"]).0, Some(1));
}

#[test]
fn the_first_key_in_the_help_is_an_admin_key() {
    let folder = Folder::with(&[]);
    for command in [&["keys", "create"][..], &["keys"], &["coordinator"]] {
        let help = folder.run(&[command, &["--help"]].concat(), "").stdout;
        let first = help.split("keys create --role ").nth(1).unwrap_or_default();
        assert!(first.starts_with("admin"), "{command:?}: {help}");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
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
        assert!(ran.stdout.contains("ACCORD_COMPLETE"), "{shell}");
    }
    assert_eq!(folder.run(&["init"], "").code, Some(0));
    for (words, expected) in [
        (["accord", "run", "tick"], "ticket-triage"),
        (["accord", "workflows", "r"], "run"),
        (["accord", "batch", ""], "word-count"),
    ] {
        let mut command = folder.command(&["--"]);
        let output = command.args(words).env("ACCORD_COMPLETE", "fish").output().unwrap();
        let offered = String::from_utf8(output.stdout).unwrap();
        let mut names = offered.lines().filter_map(|line| line.split('\t').next());
        assert!(names.any(|name| name == expected), "{words:?}: {offered}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_an_error() {
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
