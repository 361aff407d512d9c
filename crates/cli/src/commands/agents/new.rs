//! `accord agents new`.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::config::FOLDER;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::output;
use crate::project::ProjectArguments;

const AUTONOMOUS: &str = include_str!("../../../templates/agent/autonomous.yaml");
const PROCEDURAL: &str = include_str!("../../../templates/agent/procedural.yaml");

/// A name is a folder and a part of an address.
const LONGEST_NAME: usize = 64;

/// Create a commented agent.yaml to start from
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Existing files are not overwritten. The path of the new file is printed to stdout.

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
    write_new(&project.join(&folder), &template.replace("{{name}}", &arguments.name))?;
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
    fn a_name_is_a_folder_and_nothing_more() {
        for text in ["a", "pr-reviewer", "v1.2_x", &"x".repeat(64)] {
            assert_eq!(name(text), Ok(text.to_owned()));
        }
        for text in ["", ".hidden", "..", "a/b", "a b", "-x", "ä", &"x".repeat(65)] {
            assert!(name(text).is_err(), "{text}");
        }
    }
}
