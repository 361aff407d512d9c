//! Agents' files: good ones, wrong ones, hostile ones.

mod comments;
mod current;
mod examples;
mod extraction;
mod hostile;
mod kinds;
mod mistakes;
mod watching;

use super::files::{FileAgent, Files, load};

/// The problems of an agent, one a line: place, severity, path, message.
fn told(agent: &FileAgent) -> Vec<String> {
    let line = |problem: &accord_api::Problem| {
        let place = match (problem.line, problem.column) {
            (Some(line), Some(column)) => format!("{line}:{column} "),
            _ => String::new(),
        };
        let severity = if problem.severity == accord_api::Severity::Warning { "warning: " } else { "" };
        format!("{place}{severity}{}: {}", problem.path, problem.message)
    };
    agent.problems.iter().map(line).collect()
}

/// Loads a folder with these files.
fn loaded(files: &[(&str, &str)]) -> Files {
    let folder = tempfile::TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    load(folder.path())
}

/// The problems of one file that is agent `a`'s.
fn problems_of(name: &str, text: &str) -> Vec<String> {
    let files = loaded(&[(&format!("a/{name}"), text)]);
    told(&files.agents["a"])
}
