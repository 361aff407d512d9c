//! `accord review` over ten commits of this project, with scripted reviewers that point at nearly the same lines.

use std::path::{Path, PathBuf};

use accord_test_support::{ModelServer, RecordedRequest, Reply, Script};
use serde_json::{Value, json};

use crate::support::accord;

const SPECIALISTS: [&str; 3] = ["security", "correctness", "conventions"];

fn commits() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/e2e/review/commits");
    let mut commits: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    commits.sort();
    commits
}

/// The location of the first added line after line 3, by the line numbers that a reviewer sees.
fn place(shown: &str) -> (String, i64) {
    let mut file = "";
    let mut places = shown.lines().filter_map(|line| {
        let number = line.trim_start().split(' ').next().unwrap_or_default().parse::<i64>().ok();
        if number.is_none() && !line.starts_with(' ') {
            file = line.split(" (").next().unwrap_or_default();
        }
        let number = number.filter(|number| *number > 3 && line.contains(&format!("{number} + ")))?;
        Some((file.to_owned(), number))
    });
    places.next().unwrap()
}

/// The distance between two reviewers: from three lines above to three lines below, depending on
/// the line.
fn shift(line: i64) -> i64 {
    line % 7 - 3
}

fn security(request: &RecordedRequest) -> Value {
    let (file, line) = place(&request.last_text());
    let finding = json!({"file": file, "line": line, "severity": "blocker",
        "description": "The name is used as a path without a check"});
    json!({"summary": "One problem was found.", "findings": [finding], "cleared": []})
}

fn correctness(request: &RecordedRequest) -> Value {
    let (file, line) = place(&request.last_text());
    let same = json!({"file": format!("b/{file}"), "line": (line + shift(line)).max(1), "severity": "minor",
        "description": "Without a check the name is used as a path"});
    let other = json!({"file": file, "line": line + 1, "severity": "nit", "description": "Returns one too many at the end"});
    json!({"summary": "Two problems were found.", "findings": [same, other], "cleared": []})
}

fn conventions(request: &RecordedRequest) -> Value {
    let (file, line) = place(&request.last_text());
    let cleared = json!({"file": format!(".\\{}", file.replace('/', "\\")), "line": (line - shift(line)).max(1),
        "description": "Names are well chosen here"});
    json!({"summary": "Nothing was found.", "findings": [], "cleared": [cleared]})
}

/// A field of the writer's input.
fn part(request: &RecordedRequest, name: &str) -> Value {
    let text = request.last_text();
    let start = text.split(&format!("<input name=\"{name}\">")).nth(1).unwrap();
    serde_json::from_str(start.split("</input>").next().unwrap()).unwrap()
}

/// Repeats every finding and names its source.
fn writer(request: &RecordedRequest) -> Value {
    let (reviews, contradictions) = (part(request, "reviews"), part(request, "contradictions"));
    let mut findings = Vec::new();
    for agent in SPECIALISTS {
        for finding in reviews[agent]["findings"].as_array().into_iter().flatten() {
            let mut finding = finding.clone();
            finding["raisedBy"] = json!([agent]);
            findings.push(finding);
        }
    }
    let dispute = |each: &Value| {
        let positions = ["one reviewer says this", "another one says that"];
        json!({"file": each["key"]["file"], "line": each["key"]["line"], "positions": positions})
    };
    let disputes: Vec<Value> = contradictions.as_array().unwrap().iter().map(dispute).collect();
    json!({"summary": "All findings together.", "findings": findings, "cleared": [], "disputes": disputes,
        "missing": part(request, "missing")})
}

async fn model(answer: fn(&RecordedRequest) -> Value) -> ModelServer {
    ModelServer::start(Script::handler(move |request, _| Reply::text(answer(request).to_string())))
        .await
        .unwrap()
}

struct Reviewers {
    folder: tempfile::TempDir,
    _models: Vec<ModelServer>,
}

impl Reviewers {
    /// The project of the template, with scripted models instead of recordings.
    async fn start(correctness: ModelServer) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = accord(folder.path()).args(["init", "--template", "code-review"]).output().await.unwrap();
        assert!(made.status.success(), "{made:?}");
        let models = vec![
            ("security", model(security).await),
            ("correctness", correctness),
            ("conventions", model(conventions).await),
            ("writer", model(writer).await),
        ];
        for (agent, model) in &models {
            let file = folder.path().join(format!(".accord/agents/{agent}/agent.yaml"));
            let text = std::fs::read_to_string(&file).unwrap();
            let live = format!(
                "executor: {{ type: llm, provider: anthropic, model: claude-test, base_url: \"{}\" }}",
                model.url()
            );
            let lines =
                text.lines().map(|line| if line.starts_with("executor:") { live.as_str() } else { line });
            std::fs::write(&file, lines.collect::<Vec<_>>().join("\n")).unwrap();
        }
        Self { folder, _models: models.into_iter().map(|(_, model)| model).collect() }
    }

    async fn review(&self, arguments: &[&str]) -> (Option<i32>, Value) {
        let ran =
            accord(self.folder.path()).args(["review", "--json"]).args(arguments).output().await.unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        let printed = serde_json::from_slice(&ran.stdout);
        assert!(printed.is_ok(), "{said}");
        (ran.status.code(), printed.unwrap())
    }
}

#[tokio::test]
async fn contradictions_are_found_in_ten_commits_although_lines_and_spellings_differ() {
    let reviewers = Reviewers::start(model(correctness).await).await;
    let commits = commits();
    assert_eq!(commits.len(), 10);
    for commit in &commits {
        let (code, review) = reviewers.review(&["--diff", commit.to_str().unwrap()]).await;
        assert_eq!((code, review["status"].as_str()), (Some(0), Some("completed")), "{review:#}");
        let text = std::fs::read_to_string(commit).unwrap();
        let subject = text.lines().find_map(|line| line.strip_prefix("    ")).unwrap();
        assert_eq!(review["title"], subject);
        let found: Vec<(&str, Vec<&str>)> = review["contradictions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|each| {
                let sides = each["sides"].as_array().unwrap().iter();
                (each["kind"].as_str().unwrap(), sides.map(|side| side["agent"].as_str().unwrap()).collect())
            })
            .collect();
        let commit = commit.display();
        let differ = ("different_values", vec!["correctness", "security"]);
        assert!(found.contains(&differ), "{commit}: {review:#}");
        let cleared = found.iter().filter(|(kind, _)| *kind == "flagged_and_cleared").collect::<Vec<_>>();
        assert!(cleared.iter().any(|(_, sides)| sides.contains(&"security")), "{commit}: {review:#}");
        // The unrelated remark on the next line contradicts no other finding.
        assert_eq!(found.len() - cleared.len(), 1, "{commit}: {review:#}");
        let raised = review["findings"].as_array().unwrap().iter().map(|finding| &finding["raisedBy"][0]);
        let mut raised: Vec<&str> = raised.map(|name| name.as_str().unwrap()).collect();
        raised.sort_unstable();
        assert_eq!(raised, ["correctness", "correctness", "security"], "{commit}");
        assert_eq!(review["missing"], json!([]));
    }
    let first = commits[0].to_str().unwrap();
    let (code, review) = reviewers.review(&["--diff", first, "--fail-on", "blocker"]).await;
    assert_eq!((code, &review["failing"]), (Some(2), &json!(1)));
}

#[tokio::test]
async fn a_reviewer_that_fails_leaves_a_partial_review_that_says_so() {
    let broken = ModelServer::start(Script::handler(|_, _| Reply::error(400, "no"))).await.unwrap();
    let reviewers = Reviewers::start(broken).await;
    let commit = commits().remove(0);
    let (code, review) = reviewers.review(&["--diff", commit.to_str().unwrap()]).await;
    assert_eq!((code, review["status"].as_str()), (Some(0), Some("completed")), "{review:#}");
    assert_eq!(review["missing"][0]["reviewer"], "correctness", "{review:#}");
    assert_eq!(review["findings"].as_array().map(Vec::len), Some(1));
    let ran = accord(reviewers.folder.path()).args(["review", "--diff"]).arg(&commit).output().await.unwrap();
    let shown = String::from_utf8(ran.stdout).unwrap();
    assert!(shown.contains("This review is incomplete") && shown.contains("raised by security"), "{shown}");
}
