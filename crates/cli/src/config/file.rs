//! The configuration file.

use std::path::Path;

use toml::Table;

use super::origin::{Layers, Origin};
use super::{FILE, FILE_INSIDE, FOLDER};
use crate::excerpt::Position;
use crate::failure::Problem;

/// A configuration of a megabyte is a mistake.
const LARGEST_FILE: u64 = 1024 * 1024;

/// Reads the project's file, where there is one.
pub(super) fn read(project: &Path, layers: &mut Layers) -> Result<(), Problem> {
    let candidates = [project.join(FILE), project.join(FOLDER).join(FILE_INSIDE)];
    let present: Vec<_> = candidates.iter().filter(|path| path.exists()).collect();
    let path = match present.as_slice() {
        [] => return Ok(()),
        [path] => *path,
        _ => {
            let message = "found both accord.toml and .accord/config.toml";
            return Err(Problem::new(message).hint("keep only one of them"));
        }
    };
    let name = path.display().to_string();
    let problem = |error: std::io::Error| Problem::new(format!("cannot read {name}: {error}"));
    if std::fs::metadata(path).map_err(problem)?.len() > LARGEST_FILE {
        return Err(Problem::new(format!("{name} is larger than {LARGEST_FILE} bytes")));
    }
    let text = std::fs::read_to_string(path).map_err(problem)?;
    let table: Table = text.parse().map_err(|error| not_toml(&name, &text, &error))?;
    layers.set_all(table, &Origin::File(name));
    Ok(())
}

/// Where it is wrong and why, but none of the text: it may contain a key.
fn not_toml(name: &str, text: &str, error: &toml::de::Error) -> Problem {
    let place = error.span().map(|span| {
        let Position { line, column } = Position::of(text, span.start);
        format!(":{line}:{column}")
    });
    let message = format!("{name}{} is not valid TOML: {}", place.unwrap_or_default(), error.message());
    Problem::new(message).hint("strings need quotes, and each name may occur only once: name = \"value\"")
}
