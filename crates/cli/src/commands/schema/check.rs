//! `accord schemas check`: does a schema compile?

use std::path::PathBuf;

use owo_colors::OwoColorize as _;
use serde::Serialize;

use super::compile;
use crate::document::Input;
use crate::excerpt::visible;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::output;

/// Check that schemas compile; print their dialect and hash
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A schema compiles if all of it can be enforced: known dialect and formats, patterns without
look-around, references that stay inside the file.
Exit codes: 0 all compile, 1 one does not.

Examples:
  accord schemas check schemas/*.json
  accord schemas check --json report.schema.json | jq -r '.files[0].hash'")]
pub(crate) struct Arguments {
    /// Schema files; '-' reads from stdin
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Checked {
    valid: bool,
    files: Vec<FileView>,
}

#[derive(Serialize)]
struct FileView {
    file: String,
    valid: bool,
    dialect: Option<&'static str>,
    hash: Option<String>,
    error: Option<Problem>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut files = Vec::new();
    for path in &arguments.files {
        let input = Input::of(Some(path));
        let file = input.name();
        match input.read().and_then(|source| compile(&source)) {
            Ok(schema) => {
                let (dialect, hash) = (schema.dialect().name(), schema.hash());
                if !arguments.json {
                    output::show(&format!(
                        "{}  {}  {dialect}  {hash}\n",
                        "ok".green().bold(),
                        visible(&file)
                    ))?;
                }
                let hash = Some(hash.to_owned());
                files.push(FileView { file, valid: true, dialect: Some(dialect), hash, error: None });
            }
            Err(problem) => {
                problem.print();
                files.push(FileView { file, valid: false, dialect: None, hash: None, error: Some(problem) });
            }
        }
    }
    let valid = files.iter().all(|file| file.valid);
    if arguments.json {
        output::json(&Checked { valid, files })?;
    }
    Ok(if valid { Exit::Success } else { Exit::Usage })
}
