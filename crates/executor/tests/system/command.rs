//! The `run_command` tool.

use accord_executor::{BuiltinTools, ToolOutput, Toolboxes, Variables};
use serde_json::json;
use tempfile::tempdir;
use tokio_util::sync::CancellationToken;

use crate::support::{LEAVES_GRANDCHILD, WITH_GRANDCHILD, call, every_tool, gone, grandchild};

async fn run(command: &str) -> ToolOutput {
    let folder = tempdir().unwrap();
    call(
        every_tool(folder.path()).as_ref(),
        "run_command",
        json!({"command": command, "timeout_seconds": null}),
    )
    .await
}

fn output(ok: bool, text: &str) -> ToolOutput {
    ToolOutput { ok, text: text.to_owned() }
}

#[tokio::test]
async fn reports_exit_code_and_output() {
    assert_eq!(run("echo a; echo b >&2").await, output(true, "exit code 0\n[stdout]\na\n[stderr]\nb"));
    assert_eq!(run("exit 7").await, output(false, "exit code 7"));
    assert_eq!(run("kill -15 $$").await, output(false, "killed by signal 15"));
    assert_eq!(run("cat").await, output(true, "exit code 0"));
    assert_eq!(run(" ").await, output(false, "the command is empty"));
    assert_eq!(run("a\0b").await, output(false, "the command contains a NUL character; remove it"));
    assert!(run(&"x".repeat(200_000)).await.text.starts_with("the command is longer than 100 KiB"));
}

#[tokio::test]
async fn it_runs_in_the_project_folder() {
    let folder = tempdir().unwrap();
    std::fs::write(folder.path().join("here"), "").unwrap();
    let tools = every_tool(folder.path());
    let listed = call(tools.as_ref(), "run_command", json!({"command": "ls"})).await;
    assert_eq!(listed, output(true, "exit code 0\n[stdout]\nhere"));
}

#[tokio::test]
async fn long_output_keeps_its_ends() {
    let text = run("echo begin; head -c 9000000 /dev/zero | tr '\\0' x; echo; echo end").await.text;
    assert!(text.starts_with("exit code 0\n[stdout]\nbegin\nxxx") && text.ends_with("xxx\nend"));
    assert!(text.contains("\n[8975435 bytes omitted: write the output to a file and read that]\n"));
    assert!(text.len() < 25_000);
}

#[tokio::test]
async fn secrets_are_not_passed_on() {
    let given =
        [("MY_API_KEY", "secret"), ("ACCORD_RUNNER__KEY", "secret"), ("LABKEY", "secret"), ("PLAIN", "seen")];
    let path = std::env::var_os("PATH").map(|path| ("PATH".into(), path));
    let environment = given.map(|(name, value)| (name.into(), value.into())).into_iter().chain(path);
    let variables = Variables::new(environment, ["LABKEY".to_owned()]);
    let folder = tempdir().unwrap();
    let tools = BuiltinTools::new(variables).with_command_folders(vec!["/".into()]);
    let tools = tools.open(&["run_command".to_owned()], folder.path()).unwrap();
    let command = json!({"command": "echo \"$PLAIN\"; env | grep -c secret"});
    let seen = call(tools.as_ref(), "run_command", command).await;
    assert_eq!(seen.text, "exit code 1\n[stdout]\nseen\n0");
    // Variables of this process that were not given to the tools are absent, too; the shell sets
    // some itself.
    let names = json!({"command": "env | cut -d= -f1 | grep -vx -e PWD -e OLDPWD -e SHLVL -e _ | sort"});
    let seen = call(tools.as_ref(), "run_command", names).await;
    assert_eq!(seen.text, "exit code 0\n[stdout]\nPATH\nPLAIN");
}

#[tokio::test]
async fn nothing_is_left_after_a_timeout() {
    let folder = tempdir().unwrap();
    let tools = every_tool(folder.path());
    let arguments = json!({"command": format!("echo first; {WITH_GRANDCHILD}"), "timeout_seconds": 1});
    let ended = call(tools.as_ref(), "run_command", arguments).await;
    let text = "killed after 1 seconds; use a larger timeout_seconds\n[stdout]\nfirst";
    assert_eq!(ended, output(false, text));
    gone(grandchild(folder.path()).await).await;
}

#[tokio::test]
async fn nothing_is_left_in_the_background() {
    let folder = tempdir().unwrap();
    let tools = every_tool(folder.path());
    let ended = call(tools.as_ref(), "run_command", json!({"command": LEAVES_GRANDCHILD})).await;
    assert_eq!(ended, output(true, "exit code 0\n[stdout]\n1"));
    gone(grandchild(folder.path()).await).await;
}

#[tokio::test]
async fn nothing_is_left_after_a_stop_or_a_drop() {
    for dropped in [false, true] {
        let folder = tempdir().unwrap();
        let tools = every_tool(folder.path());
        let cancel = CancellationToken::new();
        let arguments = json!({"command": WITH_GRANDCHILD});
        let call = accord_executor::ToolCall { name: "run_command", arguments: &arguments, key: "key" };
        let mut work = tools.call(call, &cancel);
        let pid = tokio::select! {
            _ = &mut work => panic!("it waits for its grandchild"),
            pid = grandchild(folder.path()) => pid,
        };
        if dropped {
            drop(work);
        } else {
            cancel.cancel();
            assert_eq!(work.await, output(false, "stopped"));
        }
        gone(pid).await;
    }
}
