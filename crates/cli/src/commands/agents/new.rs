//! `accord agents new`.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use accord_api::AgentView;
use serde_json::{Map, Value};

use crate::config::FOLDER;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::meter::meter;
use crate::output;
use crate::project::ProjectArguments;

const AUTONOMOUS: &str = include_str!("../../../templates/agent/autonomous.yaml");
/// What runs a new agent of a project without agents that have a model.
const EXECUTOR: &str = "\
# The API key is read from ANTHROPIC_API_KEY; `accord doctor` checks whether it is set.
executor:
  type: llm
  provider: anthropic # or openai, openai-chat, openai-compatible, ollama, or a [providers.NAME] from config.toml
  model: claude-sonnet-4-6
  max_tokens: 4096
";
const PROCEDURAL: &str = include_str!("../../../templates/agent/procedural.yaml");

/// A name is a folder and a part of an address.
const LONGEST_NAME: usize = 64;

/// Create a commented agent.yaml to start from
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The agent gets the model that most agents of the project use. Existing files are not overwritten.
The path of the new file is printed to stdout.

Examples:
  accord agents new ticket-triage
  accord agents new word-count --procedural
  $EDITOR \"$(accord agents new ticket-triage)\" && accord agents validate ticket-triage")]
pub(crate) struct Arguments {
    /// Name of the agent: letters, digits, '-', '_' and '.'
    #[arg(value_parser = name)]
    name: String,
    /// Create an agent that runs a command instead of a model
    #[arg(long)]
    procedural: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    project: ProjectArguments,
}

fn name(text: &str) -> Result<String, String> {
    let plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-');
    let good = text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.chars().all(plain)
        && text.len() <= LONGEST_NAME;
    if good {
        return Ok(text.to_owned());
    }
    Err(format!(
        "expected letters, digits, '-', '_' and '.', starting with a letter or digit, at most {LONGEST_NAME} characters"
    ))
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let project = arguments.project.find()?;
    let folder = Path::new(FOLDER).join("agents").join(&arguments.name);
    let file = folder.join("agent.yaml");
    let template = if arguments.procedural { PROCEDURAL } else { AUTONOMOUS };
    let agents = accord_blueprint::agents_in(&project.join(FOLDER).join("agents"), &[], &meter());
    let executor = usual(&agents).map_or_else(|| EXECUTOR.to_owned(), |executor| written(&executor));
    let text = template.replace("{{name}}", &arguments.name).replace("{{executor}}", &executor);
    write_new(&project.join(&folder), &text)?;
    // The path should work from the current folder.
    let shown = match std::env::current_dir() {
        Ok(current) if current == project => file,
        _ => project.join(file),
    };
    if arguments.json {
        output::json(&serde_json::json!({"name": arguments.name, "file": shown}))?;
    } else {
        output::data(format!("{}\n", shown.display()).as_bytes())?;
        output::message(&format!("Edit it, then run `accord agents validate {}`.\n", arguments.name));
    }
    Ok(Exit::Success)
}

/// The executor that most agents with a model have, and of several the one of the first agent.
fn usual(agents: &[AgentView]) -> Option<Map<String, Value>> {
    let has_model = |executor: &&Map<String, Value>| {
        let kind = executor.get("type").and_then(Value::as_str).unwrap_or_default();
        matches!(kind, "llm" | "claude-code" | "codex" | "acp")
    };
    let executors = agents.iter().filter_map(|agent| agent.blueprint.get("executor")?.as_object());
    let executors: Vec<_> = executors.filter(has_model).collect();
    let count = |executor: &&Map<String, Value>| executors.iter().filter(|other| *other == executor).count();
    // The last of equal ones wins a comparison.
    executors.iter().rev().copied().max_by_key(count).cloned()
}

/// An executor in the style of the template. JSON is YAML.
fn written(executor: &Map<String, Value>) -> String {
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let text =
        |value: &Value| match value.as_str().filter(|text| plain(text) && text.contains(char::is_alphabetic))
        {
            Some(text) => text.to_owned(),
            None => value.to_string(),
        };
    let fields: String =
        executor.iter().map(|(name, value)| format!("  {name}: {}\n", text(value))).collect();
    format!("# The model of other agents of this project.\nexecutor:\n{fields}")
}

fn write_new(folder: &Path, text: &str) -> Result<(), Problem> {
    let taken = ["agent.yaml", "agent.yml", "agent.json"].iter().map(|name| folder.join(name));
    if let Some(file) = taken.into_iter().find(|file| fs::symlink_metadata(file).is_ok()) {
        let message = format!("{} already exists", file.display());
        return Err(Problem::new(message).hint("edit it, or choose another name"));
    }
    let file = folder.join("agent.yaml");
    let written = fs::create_dir_all(folder).and_then(|()| {
        let mut created = fs::File::create_new(&file)?;
        created.write_all(text.as_bytes())
    });
    written.map_err(|error| Problem::new(format!("cannot write {}: {error}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_agent_has_the_usual_model_of_the_project() {
        let folder = tempfile::tempdir().unwrap();
        let agents = |executors: &[(&str, &str)]| {
            for (name, executor) in executors {
                let place = folder.path().join(name);
                fs::create_dir(&place).unwrap();
                fs::write(place.join("agent.yaml"), format!("name: {name}\nexecutor: {executor}\n")).unwrap();
            }
            usual(&accord_blueprint::agents_in(folder.path(), &[], &meter()))
        };
        let (lab, local) = (
            "{ type: llm, provider: lab, model: 'qwen3:1b', temperature: 0.5 }",
            "{ type: llm, provider: ollama, model: small }",
        );
        let recorded = "{ type: replay, cassette: a.json }";
        assert_eq!(agents(&[("a", recorded), ("b", "{ type: process, command: sh }")]), None);
        assert_eq!(agents(&[("c", local)]).unwrap()["model"], "small");
        assert_eq!(agents(&[("d", lab)]).unwrap()["model"], "small", "the first of equally many");
        let executor = agents(&[("e", lab)]).unwrap();
        let text = written(&executor);
        assert!(text.ends_with("  model: \"qwen3:1b\"\n  temperature: 0.5\n"), "{text}");
        let read: Value = serde_saphyr::from_str(&text).unwrap();
        assert_eq!(read["executor"], Value::Object(executor));
    }

    #[test]
    fn a_name_is_a_folder_and_nothing_more() {
        for text in ["a", "pr-reviewer", "v1.2_x", &"x".repeat(64)] {
            assert_eq!(name(text), Ok(text.to_owned()));
        }
        for text in ["", ".hidden", "..", "a/b", "a b", "-x", "ä", &"x".repeat(65)] {
            assert!(name(text).is_err(), "{text}");
        }
    }
}
