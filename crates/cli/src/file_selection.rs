//! Agents and workflows that are examined in their files: which of them, and whether they pass.

use std::path::{MAIN_SEPARATOR, Path};

use accord_api::{Problem as Finding, Severity};

use crate::failure::Problem;
use crate::suggestion;

/// Text with a separator, or that names an existing file, is a path; everything else is a name.
pub(crate) fn path(text: &str) -> Option<&Path> {
    let path = Path::new(text);
    (text.contains(MAIN_SEPARATOR) || path.exists()).then_some(path)
}

/// The error for a name that nothing in the folder has.
pub(crate) fn unknown<'a>(
    kind: &str,
    name: &str,
    folder: &Path,
    known: impl Iterator<Item = &'a str>,
    none: &str,
) -> Problem {
    let known: Vec<&str> = known.collect();
    let hint = match suggestion::closest(name, known.iter().copied()) {
        Some(similar) => format!("did you mean '{similar}'?"),
        None if known.is_empty() => none.to_owned(),
        None => format!("available: {}", known.join(", ")),
    };
    Problem::new(format!("no {kind} '{name}' in {}", folder.display())).hint(hint)
}

/// Whether it passes: nothing is wrong with it, and where warnings are denied it has none.
pub(crate) fn passes(valid: bool, problems: &[Finding], deny_warnings: bool) -> bool {
    valid && !(deny_warnings && problems.iter().any(|problem| problem.severity == Severity::Warning))
}
