//! `list_files`: what is in a folder.

use std::ops::ControlFlow;

use serde::Deserialize;
use serde_json::{Value, json};

use super::folder::{Folder, Refusal};
use super::glob::Glob;
use super::pace::Pace;
use super::walk::{Entry, MAX_DEPTH, prefix_of, walk};

/// Maximum number of entries in one answer. With a pattern, a model finds the right ones among more.
const MAX_ENTRIES: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    path: Option<String>,
    depth: Option<usize>,
    pattern: Option<String>,
}

pub(super) fn spec() -> (String, Value) {
    let description = format!(
        "Lists files and folders of the project folder, at most {MAX_ENTRIES}. Folders end in a slash, files come with \
         their size in bytes. Links are shown and not followed; .git, node_modules and target are listed only if `path` names them."
    );
    let properties = json!({
        "path": {"type": ["string", "null"], "description": "The folder, relative to the project folder; null for the project folder"},
        "depth": {"type": ["integer", "null"], "description": "How many levels of folders to show; null for 1, or for all if a pattern is given"},
        "pattern": {"type": ["string", "null"], "description": "Filter by pattern: *.rs by name, src/**/*.rs by path; null for all"},
    });
    (description, properties)
}

pub(super) fn run(folder: &Folder, arguments: Arguments, pace: &Pace) -> Result<String, Refusal> {
    let path = arguments.path.as_deref().unwrap_or(".");
    let glob = arguments.pattern.as_deref().map(Glob::new).transpose()?;
    let usual = if glob.is_some() { MAX_DEPTH } else { 1 };
    let depth = arguments.depth.unwrap_or(usual).max(1);
    let dir = folder.find_folder(path)?;
    let prefix = prefix_of(&folder.relative(path)?);
    let mut shown = Vec::new();
    let mut more = false;
    let omissions = walk(&dir, &prefix, depth, pace, &mut |entry| {
        if glob.as_ref().is_none_or(|glob| glob.matches(entry.path)) {
            if shown.len() == MAX_ENTRIES {
                more = true;
                return ControlFlow::Break(());
            }
            shown.push(line(&entry));
        }
        ControlFlow::Continue(())
    });
    let mut text = if shown.is_empty() { "[nothing found]".to_owned() } else { shown.join("\n") };
    if more {
        text.push_str(&format!(
            "\n[more than {MAX_ENTRIES} entries: use a pattern, a folder in `path` or a smaller depth]"
        ));
    }
    text.push_str(&omissions.notes());
    Ok(text)
}

fn line(entry: &Entry<'_>) -> String {
    let path = entry.path;
    if entry.kind.is_dir() {
        format!("{path}/")
    } else if entry.kind.is_symlink() {
        format!("{path} (link)")
    } else if entry.kind.is_file() {
        match entry.parent.symlink_metadata(entry.name) {
            Ok(metadata) => format!("{path} ({} bytes)", metadata.len()),
            Err(_) => path.to_owned(),
        }
    } else {
        format!("{path} (pipe, socket or device)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    fn list(folder: &Folder, path: Option<&str>, depth: Option<usize>, pattern: Option<&str>) -> String {
        let arguments = Arguments { path: path.map(Into::into), depth, pattern: pattern.map(Into::into) };
        run(folder, arguments, &Pace::endless()).unwrap_or_else(|refusal| refusal.0)
    }

    #[test]
    fn entries_come_in_order_and_as_deep_as_asked() {
        let project = tempfile::tempdir().unwrap();
        let at = |path: &str| project.path().join(path);
        fs::create_dir_all(at("src/inner")).unwrap();
        fs::create_dir_all(at(".git/objects")).unwrap();
        fs::write(at("b.txt"), "12").unwrap();
        fs::write(at("src/lib.rs"), "").unwrap();
        fs::write(at("src/inner/mod.rs"), "1").unwrap();
        std::os::unix::fs::symlink("..", at("src/up")).unwrap();
        let folder = Folder::open(project.path()).unwrap();
        assert_eq!(list(&folder, None, None, None), ".git/\nb.txt (2 bytes)\nsrc/");
        assert_eq!(
            list(&folder, Some("./src"), Some(9), None),
            "src/inner/\nsrc/inner/mod.rs (1 bytes)\nsrc/lib.rs (0 bytes)\nsrc/up (link)"
        );
        assert_eq!(list(&folder, Some(".git"), None, None), ".git/objects/");
        let found = "src/inner/mod.rs (1 bytes)\nsrc/lib.rs (0 bytes)";
        assert_eq!(list(&folder, None, None, Some("*.rs")), found);
        assert_eq!(list(&folder, None, None, Some("*.py")), "[nothing found]");
        assert_eq!(list(&folder, Some("b.txt"), None, None), "'b.txt' is a file; expected a folder");
    }

    #[test]
    fn names_that_are_not_text_are_escaped() {
        let project = tempfile::tempdir().unwrap();
        let names: [&[u8]; 2] = [b"a\nb", b"\xff.txt"];
        for name in names {
            fs::write(project.path().join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
        }
        let folder = Folder::open(project.path()).unwrap();
        assert_eq!(list(&folder, None, None, None), "a\\nb (0 bytes)\n\\xff.txt (0 bytes)");
    }

    #[test]
    fn rejects_too_many_and_too_long() {
        let project = tempfile::tempdir().unwrap();
        for number in 0..1001 {
            fs::write(project.path().join(format!("{number:04}")), "").unwrap();
        }
        let folder = Folder::open(project.path()).unwrap();
        let text = list(&folder, None, None, None);
        assert_eq!(text.lines().count(), 1001);
        assert!(
            text.ends_with(
                "\n[more than 1000 entries: use a pattern, a folder in `path` or a smaller depth]"
            )
        );
        let arguments = Arguments { path: None, depth: None, pattern: None };
        let text = run(&folder, arguments, &Pace::over()).unwrap();
        let note = "[stopped before all entries were read: use a more specific folder in `path`]";
        assert_eq!(text, format!("[nothing found]\n{note}"));
    }
}
