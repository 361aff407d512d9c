//! Walking through folders, in the order of names, without following links.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::Path;

use cap_std::fs::{Dir, FileType};

use super::folder::open_plain_folder;
use super::pace::Pace;

/// How deep a walk goes. Deeper trees are made by machines, and each level holds a folder open.
pub(super) const MAX_DEPTH: usize = 32;

/// How many entries of one folder are looked at. They are put in order first, and that takes memory.
const MAX_FOLDER_ENTRIES: usize = 20_000;

/// How many entries a walk looks at in all.
const MAX_ENTRIES: usize = 100_000;

/// Folders that are named but not entered: large, made by tools, and hardly ever what is asked for. To look into one,
/// a walk begins in it.
const NOT_ENTERED: &[&str] = &[".git", "node_modules", "target"];

pub(super) struct Entry<'a> {
    pub(super) parent: &'a Dir,
    pub(super) name: &'a Path,
    /// Its path from the project folder, with names that are not plain text escaped.
    pub(super) path: &'a str,
    pub(super) kind: FileType,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Omissions {
    pub(super) unreadable: usize,
    pub(super) too_many: bool,
    pub(super) out_of_time: bool,
    entries: usize,
}

impl Omissions {
    /// Notes for the model, one a line.
    pub(super) fn notes(&self) -> String {
        let mut notes = String::new();
        if self.unreadable > 0 {
            notes.push_str(&format!("\n[{} folders or files could not be read]", self.unreadable));
        }
        if self.too_many {
            notes.push_str("\n[too many entries: use a more specific folder in `path`]");
        }
        if self.out_of_time {
            notes.push_str("\n[stopped before all entries were read: use a more specific folder in `path`]");
        }
        notes
    }
}

/// Visits the entries of a folder, and of its subfolders up to a depth.
pub(super) fn walk(
    dir: &Dir,
    prefix: &str,
    depth: usize,
    pace: &Pace,
    visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
) -> Omissions {
    let mut omissions = Omissions::default();
    // The visitor knows by itself whether it stopped early.
    let _ended = descend(dir, prefix, depth.min(MAX_DEPTH), pace, visit, &mut omissions);
    omissions
}

fn descend(
    dir: &Dir,
    prefix: &str,
    depth: usize,
    pace: &Pace,
    visit: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    omissions: &mut Omissions,
) -> ControlFlow<()> {
    for (name, kind) in entries(dir, omissions) {
        if pace.is_over() {
            omissions.out_of_time = true;
            return ControlFlow::Break(());
        }
        omissions.entries += 1;
        if omissions.entries > MAX_ENTRIES {
            omissions.too_many = true;
            return ControlFlow::Break(());
        }
        let printed = printable(&name);
        let path = if prefix.is_empty() { printed } else { format!("{prefix}/{printed}") };
        let name = Path::new(&name);
        visit(Entry { parent: dir, name, path: &path, kind })?;
        let enter = depth > 1 && kind.is_dir() && !NOT_ENTERED.iter().any(|each| Path::new(each) == name);
        if enter {
            match open_plain_folder(dir, name) {
                Ok(inner) => descend(&inner, &path, depth - 1, pace, visit, omissions)?,
                Err(_) => omissions.unreadable += 1,
            }
        }
    }
    ControlFlow::Continue(())
}

fn entries(dir: &Dir, omissions: &mut Omissions) -> Vec<(OsString, FileType)> {
    let Ok(read) = dir.entries() else {
        omissions.unreadable += 1;
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in read {
        if found.len() == MAX_FOLDER_ENTRIES {
            omissions.too_many = true;
            break;
        }
        match entry.and_then(|entry| Ok((entry.file_name(), entry.file_type()?))) {
            Ok(entry) => found.push(entry),
            Err(_) => omissions.unreadable += 1,
        }
    }
    found.sort_by(|left, right| left.0.cmp(&right.0));
    found
}

/// A name as plain text. A name can hold line ends and bytes that are no text: they are shown, not written, so that no
/// name can pass for two lines of a list.
pub(super) fn printable(name: &OsString) -> String {
    let mut printed = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        for each in chunk.valid().chars() {
            if each.is_control() { printed.extend(each.escape_default()) } else { printed.push(each) }
        }
        for byte in chunk.invalid() {
            printed.push_str(&format!("\\x{byte:02x}"));
        }
    }
    printed
}

/// The prefix of what a walk finds that begins at this path.
pub(super) fn prefix_of(relative: &Path) -> String {
    let parts = relative.components().filter(|part| *part != std::path::Component::CurDir);
    parts.map(|part| printable(&part.as_os_str().to_owned())).collect::<Vec<_>>().join("/")
}
