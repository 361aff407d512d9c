//! Project files: agents, workflows, schemas and settings, read by commands and at startup.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use accord_test_support::hostile::{Shape, documents, json_texts, schemas, settings, templates};
use tokio::process::Command;

use super::meter::Meter;
use super::templates::workflow;
use super::victim::{MOST_CPU, MOST_GROWTH};
use super::wire::{Request, send};
use super::{rounds, turn};
use crate::support::{Project, accord};

/// How many files of each kind get their own command in a round.
const ALONE_A_ROUND: usize = 12;

/// Runs a command that reads hostile files. It must exit by itself, with an exit code and within
/// the limits; otherwise the error describes what happened.
async fn ends(command: &mut Command, files: u32) -> Result<(), String> {
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let meter = Meter::new(child.id().unwrap());
    let stderr = child.stderr.take().unwrap();
    let said = tokio::spawn(async move {
        let mut text = String::new();
        let _ = tokio::io::AsyncReadExt::read_to_string(&mut { stderr }, &mut text).await;
        text
    });
    let mut looks = tokio::time::interval(Duration::from_millis(20));
    let status = loop {
        tokio::select! {
            status = child.wait() => break status.unwrap(),
            _ = looks.tick() => {}
        }
        let cpu = meter.cpu().unwrap_or_default();
        let peak = meter.peak().unwrap_or_default();
        if cpu > MOST_CPU * files || peak > MOST_GROWTH {
            child.kill().await.unwrap();
            return Err(format!("used {cpu:?} of CPU and {} MiB", peak >> 20));
        }
    };
    let said = said.await.unwrap();
    match status.code() {
        Some(0..=4) if !said.contains("panicked") => Ok(()),
        _ => Err(format!("{status}: {}", said.chars().take(200).collect::<String>())),
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// The files of a kind, as paths in a project with their texts.
fn agents() -> Vec<(String, String)> {
    let yaml = documents().into_iter().map(|shape| ("agent.yaml", shape));
    let json = json_texts().into_iter().map(|shape| ("agent.json", shape));
    let path = |(number, (file, shape)): (usize, (&str, Shape))| {
        (format!(".accord/agents/a{number}/{file}"), shape.text)
    };
    yaml.chain(json).enumerate().map(path).collect()
}

fn workflows() -> Vec<(String, String)> {
    let yaml = documents().into_iter().map(|shape| ("yaml", shape.text));
    let json = json_texts().into_iter().map(|shape| ("json", shape.text));
    let path = |(number, (kind, text)): (usize, (&str, String))| {
        (format!(".accord/workflows/w{number}.{kind}"), text)
    };
    let mut files: Vec<(String, String)> = yaml.chain(json).enumerate().map(path).collect();
    files.extend(templates().into_iter().enumerate().map(|(number, shape)| {
        let name = format!("t{number}");
        (format!(".accord/workflows/{name}.json"), workflow(&name, &shape.text))
    }));
    files
}

/// Reads all files at once, and then some of them alone, so that each is checked against the
/// limits.
async fn read_by(arguments: &[&str], files: &[(String, String)]) -> Vec<String> {
    let mut failures = Vec::new();
    let together = Project::new();
    for (path, text) in files {
        write(&together.path().join(path), text);
    }
    let count = u32::try_from(files.len()).unwrap();
    let failed = ends(accord(together.path()).args(arguments), count).await.err();
    // If all of them together exceed the limits, each is tried alone.
    let rounds = if failed.is_some() { files.len().div_ceil(ALONE_A_ROUND) } else { rounds() };
    failures.extend(failed.map(|error| format!("{arguments:?} on all files: {error}")));
    for round in 0..rounds {
        for (path, text) in turn(files, round, 0, ALONE_A_ROUND) {
            let alone = Project::new();
            write(&alone.path().join(path), text);
            if let Err(error) = ends(accord(alone.path()).args(arguments), 1).await {
                let begins: String = text.chars().take(80).collect();
                failures.push(format!("{arguments:?} {path} ({begins:?}…): {error}"));
            }
        }
    }
    failures
}

fn hold(failures: &[String]) {
    assert!(failures.is_empty(), "{} files did harm:\n{}", failures.len(), failures.join("\n"));
}

#[tokio::test]
async fn no_file_of_an_agent_stops_a_command() {
    hold(&read_by(&["agents", "validate"], &agents()).await);
}

#[tokio::test]
async fn no_file_of_a_workflow_stops_a_command() {
    hold(&read_by(&["workflow", "validate"], &workflows()).await);
}

#[tokio::test]
async fn no_file_of_settings_stops_a_command() {
    let files: Vec<(String, String)> =
        settings().into_iter().map(|shape| ("accord.toml".to_owned(), shape.text)).collect();
    let mut failures = Vec::new();
    for (path, text) in &files {
        let project = Project::new();
        write(&project.path().join(path), text);
        for arguments in [&["doctor"][..], &["agents", "validate"]] {
            if let Err(error) = ends(accord(project.path()).args(arguments), 1).await {
                let begins: String = text.chars().take(80).collect();
                failures.push(format!("{arguments:?} with accord.toml ({begins:?}…): {error}"));
            }
        }
    }
    hold(&failures);
}

#[tokio::test]
async fn no_schema_in_a_file_stops_a_command() {
    let mut failures = Vec::new();
    let shapes = schemas();
    for round in 0..rounds() {
        for shape in turn(&shapes, round, 0, 2 * ALONE_A_ROUND) {
            let project = Project::new();
            let (schema, value) = (project.path().join("schema.json"), project.path().join("value.json"));
            write(&schema, &shape.schema);
            write(&value, &shape.value);
            let (schema, value) = (schema.to_str().unwrap(), value.to_str().unwrap());
            for arguments in [
                &["schema", "lint", schema][..],
                &["check", "--schema", schema, value],
                &["schema", "infer", value],
            ] {
                if let Err(error) = ends(accord(project.path()).args(arguments), 1).await {
                    failures.push(format!("{:?} {}: {error}", &arguments[..2], shape.name));
                }
            }
        }
    }
    hold(&failures);
}

/// A project full of hostile files starts and answers requests.
#[tokio::test]
async fn no_file_stops_the_start() {
    let project = Project::new();
    for (path, text) in agents().into_iter().chain(workflows()) {
        write(&project.path().join(path), &text);
    }
    let host = project.up().await;
    // Listing the files makes the coordinator read them.
    for path in ["/workflows?limit=500", "/agents?limit=500", "/health"] {
        let answer = send(host.url.trim_start_matches("http://"), &Request::new("GET", path)).await;
        assert!(answer.as_ref().is_ok_and(|answer| answer.status == 200), "{path}: {answer:?}");
    }
    host.end().await;
}
