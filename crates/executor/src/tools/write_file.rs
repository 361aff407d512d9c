//! `write_file`: a whole file at once.
//!
//! The content goes into a new file beside the old one, which is then put in its place. So a reader never sees half a
//! file, and neither a symbolic nor a hard link at the path can carry the content to a file elsewhere.
//!
//! What decides over agents and what Git executes is not written: with it, an agent could give itself more than its
//! blueprint does.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::fs::{Dir, OpenOptions, Permissions};
use serde::Deserialize;
use serde_json::{Value, json};

use super::folder::{Folder, Refusal, refusal};
use super::pace::Pace;

/// Far above what a model writes in one answer.
const MAX_CONTENT_BYTES: usize = 8 * 1024 * 1024;

/// How many names are tried for the new file before it is put in place. Names are taken only by writers that were killed.
const NAMES_TRIED: usize = 100;

/// Folders that hold blueprints and settings of Accord, and hooks of Git.
const PROTECTED_FOLDERS: &[&str] = &[".accord", ".git"];

/// Files of the project folder that are settings of Accord.
const PROTECTED_FILES: &[&str] = &["accord.toml", ".accord", ".git"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    path: String,
    content: String,
}

pub(super) fn spec() -> (String, Value) {
    let description = "Writes a text file in the project folder, replacing its whole content. Missing folders are created. To change part of a file, read it first and write all of it."
        .to_owned();
    let properties = json!({
        "path": {"type": "string", "description": "The file, relative to the project folder"},
        "content": {"type": "string", "description": "The whole new content"},
    });
    (description, properties)
}

pub(super) fn run(folder: &Folder, arguments: Arguments, pace: &Pace) -> Result<String, Refusal> {
    let Arguments { path, content } = arguments;
    if content.len() > MAX_CONTENT_BYTES {
        let limit = MAX_CONTENT_BYTES / 1024 / 1024;
        return Err(Refusal(format!("the content is longer than {limit} MiB; write several smaller files")));
    }
    let relative = folder.relative(&path)?;
    let name = relative.file_name().filter(|_| !path.ends_with('/') && !path.ends_with("/."));
    let name = name.ok_or_else(|| Refusal(format!("'{path}' has no file name")))?;
    let protected = || Refusal(format!("'{path}' cannot be written: it contains settings of Accord or Git"));
    // Before folders are made, as far as the way is there; and after, when no link can lead elsewhere any more.
    if is_protected(folder.dir(), &existing(folder.dir(), &relative))
        .map_err(|error| refusal(&path, &error))?
        || names_protected(&relative)
    {
        return Err(protected());
    }
    let parent = make_parent(folder.dir(), &relative).map_err(|error| refusal(&path, &error))?;
    let is_protected = is_protected(folder.dir(), &relative)
        .and_then(|is_protected| Ok(is_protected || folder.is_private_place(&parent, name)?));
    if is_protected.map_err(|error| refusal(&path, &error))? {
        return Err(protected());
    }
    let permissions = replaceable(&parent, name, &path)?;
    if pace.is_over() {
        return Err(Refusal("stopped before anything was written".to_owned()));
    }
    replace(&parent, name, content.as_bytes(), permissions).map_err(|error| refusal(&path, &error))?;
    Ok(format!("wrote {} bytes to '{path}'", content.len()))
}

fn make_parent(dir: &Dir, relative: &Path) -> io::Result<Dir> {
    match relative.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        None => dir.try_clone(),
        Some(parent) => {
            dir.create_dir_all(parent)?;
            dir.open_dir(parent)
        }
    }
}

/// The beginning of a path whose folder is there.
fn existing(dir: &Dir, relative: &Path) -> PathBuf {
    let there =
        |path: &&Path| path.parent().is_none_or(|parent| parent.as_os_str().is_empty() || dir.is_dir(parent));
    relative.ancestors().find(there).unwrap_or(relative).to_owned()
}

/// Whether a path names a protected folder on its way, whatever is there.
fn names_protected(relative: &Path) -> bool {
    let folders = relative.parent().into_iter().flat_map(Path::components);
    folders.into_iter().any(|part| PROTECTED_FOLDERS.iter().any(|each| part.as_os_str() == OsStr::new(each)))
}

/// Whether a path really leads to a protected place, whichever links it goes through.
fn is_protected(dir: &Dir, relative: &Path) -> io::Result<bool> {
    let parent = relative.parent().filter(|parent| !parent.as_os_str().is_empty());
    let real = dir.canonicalize(parent.unwrap_or(Path::new(".")))?;
    let mut folders = real.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    let name = relative.file_name();
    let file = PROTECTED_FILES.iter().any(|file| name == Some(OsStr::new(file)));
    let at_top = folders.clone().next().is_none();
    Ok(at_top && file
        || folders.any(|folder| PROTECTED_FOLDERS.iter().any(|each| folder == OsStr::new(each))))
}

/// The permissions of the file that would be replaced; a refusal if the path is something else.
fn replaceable(parent: &Dir, name: &OsStr, path: &str) -> Result<Option<Permissions>, Refusal> {
    match parent.symlink_metadata(name) {
        Ok(metadata) if metadata.is_file() => Ok(Some(metadata.permissions())),
        Ok(metadata) if metadata.is_dir() => Err(Refusal(format!("'{path}' is a folder; use a file in it"))),
        Ok(metadata) if metadata.is_symlink() => {
            Err(Refusal(format!("'{path}' is a link; write to its target, if that is in the project folder")))
        }
        Ok(_) => Err(Refusal(format!("'{path}' is a pipe, a socket or a device; use another name"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(refusal(path, &error)),
    }
}

fn replace(parent: &Dir, name: &OsStr, content: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
    let (mut file, beside) = create_beside(parent)?;
    let written = file.write_all(content).and_then(|()| match permissions {
        Some(permissions) => file.set_permissions(permissions),
        None => Ok(()),
    });
    drop(file);
    written.and_then(|()| parent.rename(&beside, parent, name)).inspect_err(|_| {
        // What matters is why the file could not be written, not why this could not be tidied up.
        parent.remove_file(&beside).ok();
    })
}

fn create_beside(parent: &Dir) -> io::Result<(cap_std::fs::File, PathBuf)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..NAMES_TRIED {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = PathBuf::from(format!(".accord-write-{}-{number}", std::process::id()));
        match parent.open_with(&name, &options) {
            Ok(file) => return Ok((file, name)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn write(folder: &Folder, path: &str, content: &str) -> Result<String, String> {
        let arguments = Arguments { path: path.to_owned(), content: content.to_owned() };
        run(folder, arguments, &Pace::endless()).map_err(|refusal| refusal.0)
    }

    #[test]
    fn files_are_created_and_replaced() {
        let project = tempfile::tempdir().unwrap();
        let at = |path: &str| project.path().join(path);
        let folder = Folder::open(project.path()).unwrap();
        assert_eq!(write(&folder, "a/b/c.sh", "one").unwrap(), "wrote 3 bytes to 'a/b/c.sh'");
        fs::set_permissions(at("a/b/c.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(write(&folder, "./a/b/c.sh", "two!").unwrap(), "wrote 4 bytes to './a/b/c.sh'");
        assert_eq!(fs::read_to_string(at("a/b/c.sh")).unwrap(), "two!");
        assert_eq!(fs::metadata(at("a/b/c.sh")).unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(fs::read_dir(at("a/b")).unwrap().count(), 1);
    }

    #[test]
    fn writes_regular_files_only() {
        let project = tempfile::tempdir().unwrap();
        let at = |path: &str| project.path().join(path);
        fs::create_dir(at("dir")).unwrap();
        fs::write(at("file"), "old").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        let folder = Folder::open(project.path()).unwrap();
        for (path, text) in [
            ("dir", "'dir' is a folder; use a file in it"),
            ("new/", "'new/' has no file name"),
            (".", "'.' has no file name"),
            ("", "'' has no file name"),
            ("dir/..", "'dir/..' has no file name"),
            ("file/x", "a parent of 'file/x' is not a folder"),
            ("link", "'link' is a link; write to its target, if that is in the project folder"),
        ] {
            assert_eq!(write(&folder, path, "new").unwrap_err(), text);
        }
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "old");
        let long = "x".repeat(MAX_CONTENT_BYTES + 1);
        assert_eq!(
            write(&folder, "new", &long).unwrap_err(),
            "the content is longer than 8 MiB; write several smaller files"
        );
    }

    #[test]
    fn an_agent_cannot_write_its_own_rules() {
        let project = tempfile::tempdir().unwrap();
        let at = |path: &str| project.path().join(path);
        fs::create_dir_all(at(".accord/agents")).unwrap();
        std::os::unix::fs::symlink(".accord/agents", at("link")).unwrap();
        let folder = Folder::open(project.path()).unwrap();
        for path in [
            ".accord/agents/agent.yaml",
            "link/agent.yaml",
            "new/../.accord/config.toml",
            "accord.toml",
            "./accord.toml",
            ".git",
            "sub/.git/hooks/pre-commit",
            ".git/hooks/pre-commit",
            ".accord/agents/evil/agent.yaml",
            "link/evil/agent.yaml",
        ] {
            let text = format!("'{path}' cannot be written: it contains settings of Accord or Git");
            assert_eq!(write(&folder, path, "x").unwrap_err(), text);
        }
        let left: Vec<_> = [".git", "sub", "new", ".accord/agents/evil"]
            .into_iter()
            .filter(|path| at(path).exists())
            .collect();
        assert!(left.is_empty(), "{left:?}");
        write(&folder, "docs/accord.toml", "x").unwrap();
        write(&folder, ".gitignore", "x").unwrap();
    }

    #[test]
    fn settings_in_use_are_not_written_wherever_they_lie() {
        let project = tempfile::tempdir().unwrap();
        let at = |path: &str| project.path().join(path);
        fs::create_dir(at("conf")).unwrap();
        std::os::unix::fs::symlink("conf", at("link")).unwrap();
        fs::write(at("conf/accord.toml"), "old").unwrap();
        let files = [at("conf/accord.toml"), at("conf/state.db"), at("gone/state.db")];
        let folder = Folder::open(project.path()).unwrap().keeping(&files);
        for path in ["conf/accord.toml", "link/accord.toml", "conf/state.db"] {
            let text = format!("'{path}' cannot be written: it contains settings of Accord or Git");
            assert_eq!(write(&folder, path, "x").unwrap_err(), text);
        }
        assert_eq!(fs::read_to_string(at("conf/accord.toml")).unwrap(), "old");
        write(&folder, "conf/other.toml", "x").unwrap();
        write(&folder, "accord.db", "x").unwrap();
    }

    #[test]
    fn a_hard_link_does_not_carry_the_content_outside() {
        let outside = tempfile::tempdir().unwrap();
        let project = tempfile::tempdir_in(outside.path()).unwrap();
        fs::write(outside.path().join("precious"), "old").unwrap();
        fs::hard_link(outside.path().join("precious"), project.path().join("inside")).unwrap();
        let folder = Folder::open(project.path()).unwrap();
        write(&folder, "inside", "new").unwrap();
        assert_eq!(fs::read_to_string(outside.path().join("precious")).unwrap(), "old");
        assert_eq!(fs::read_to_string(project.path().join("inside")).unwrap(), "new");
    }
}
