//! The project folder, and no way out of it.
//!
//! Paths are resolved by `cap-std` against the open folder, component by component and never by name from the root, so
//! that neither `..` nor a symbolic link leads outside, not even one that is put there between a check and the use.
//! Links that stay inside are followed. The project folder itself may be a link.
//!
//! Files are opened without blocking and looked at after opening: a pipe, a socket or a device is refused, not waited for.
//! So is what Accord keeps for itself, by whichever name or link it was reached and wherever it lies: settings may hold
//! keys, and what a tool reads goes to the model, into events and into the store.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use cap_fs_ext::{DirExt, FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};

/// Longer paths than the system takes are not worth asking for.
const MAX_PATH_BYTES: usize = 4096;

/// What Accord keeps for itself in a project folder.
pub(crate) const PRIVATE: &[&str] = &[
    "accord.toml",
    ".accord/config.toml",
    ".accord/accord.db",
    ".accord/accord.db-wal",
    ".accord/accord.db-shm",
];

/// Why a tool refuses a call, for the model.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal(pub(super) String);

#[derive(Debug)]
pub(super) struct Folder {
    dir: Dir,
    path: PathBuf,
    /// What is there of [`PRIVATE`], and of other files that Accord uses.
    private: Vec<Identity>,
    /// The locations of those files: a folder, and a name in it.
    private_places: Vec<(Identity, OsString)>,
}

type Identity = (u64, u64);

pub(super) enum PathTarget {
    File(OpenFile),
    Folder(Dir),
}

pub(super) enum Opened {
    File(OpenFile),
    /// A pipe, a socket, a device or a folder.
    Special,
    Private,
}

pub(super) struct OpenFile {
    pub(super) file: File,
    pub(super) bytes: u64,
}

impl Folder {
    pub(super) fn open(project_dir: &Path) -> io::Result<Self> {
        let dir = Dir::open_ambient_dir(project_dir, ambient_authority())?;
        let identity = |path: &&str| dir.metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()));
        let private = PRIVATE.iter().filter_map(identity).collect();
        Ok(Self { dir, path: project_dir.to_owned(), private, private_places: Vec::new() })
    }

    /// The same folder, where these files are Accord's own too.
    pub(super) fn keeping(mut self, files: &[PathBuf]) -> Self {
        let identity = |path: &Path| path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()));
        self.private.extend(files.iter().filter_map(|file| identity(file)));
        let place = |file: &PathBuf| Some((identity(file.parent()?)?, file.file_name()?.to_owned()));
        self.private_places.extend(files.iter().filter_map(place));
        self
    }

    /// Whether a file of this name in a folder would be one of Accord's own, there or not.
    pub(super) fn is_private_place(&self, parent: &Dir, name: &OsStr) -> io::Result<bool> {
        let metadata = parent.dir_metadata()?;
        let identity = (metadata.dev(), metadata.ino());
        Ok(self.private_places.iter().any(|(folder, file)| *folder == identity && file == name))
    }

    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// A path as the model wrote it, relative to the folder. Whether it stays inside is decided when it is used.
    pub(super) fn relative(&self, path: &str) -> Result<PathBuf, Refusal> {
        if path.contains('\0') {
            return Err(Refusal("the path contains a NUL character; remove it".to_owned()));
        }
        if path.len() > MAX_PATH_BYTES {
            return Err(Refusal(format!("the path is longer than {MAX_PATH_BYTES} bytes")));
        }
        let asked = Path::new(path);
        // Models like absolute paths; one in the project folder is accepted like a relative one.
        let inside = asked.strip_prefix(&self.path).unwrap_or(asked);
        if inside.is_absolute() {
            return Err(Refusal(format!("'{path}' is absolute; use a path relative to the project folder")));
        }
        Ok(if inside.as_os_str().is_empty() { PathBuf::from(".") } else { inside.to_owned() })
    }

    pub(super) fn find(&self, path: &str) -> Result<PathTarget, Refusal> {
        let relative = self.relative(path)?;
        let metadata = self.dir.metadata(&relative).map_err(|error| refusal(path, &error))?;
        if metadata.is_dir() {
            let dir = self.dir.open_dir(&relative).map_err(|error| refusal(path, &error))?;
            return Ok(PathTarget::Folder(dir));
        }
        if !metadata.is_file() {
            return Err(special(path));
        }
        let file = self.open_regular(&self.dir, &relative, FollowSymlinks::Yes);
        match file.map_err(|error| refusal(path, &error))? {
            Opened::File(file) => Ok(PathTarget::File(file)),
            Opened::Special => Err(special(path)),
            Opened::Private => {
                Err(Refusal(format!("'{path}' cannot be read: it contains settings or data of Accord")))
            }
        }
    }

    pub(super) fn open_regular(&self, dir: &Dir, path: &Path, follow: FollowSymlinks) -> io::Result<Opened> {
        let mut options = OpenOptions::new();
        options.read(true).nonblock(true).follow(follow);
        let file = dir.open_with(path, &options)?;
        let metadata = file.metadata()?;
        Ok(match metadata.is_file() {
            false => Opened::Special,
            true if self.private.contains(&(metadata.dev(), metadata.ino())) => Opened::Private,
            true => Opened::File(OpenFile { file, bytes: metadata.len() }),
        })
    }

    pub(super) fn find_file(&self, path: &str) -> Result<OpenFile, Refusal> {
        match self.find(path)? {
            PathTarget::File(file) => Ok(file),
            PathTarget::Folder(_) => Err(Refusal(format!("'{path}' is a folder; use a file in it"))),
        }
    }

    pub(super) fn find_folder(&self, path: &str) -> Result<Dir, Refusal> {
        match self.find(path)? {
            PathTarget::Folder(dir) => Ok(dir),
            PathTarget::File(_) => Err(Refusal(format!("'{path}' is a file; expected a folder"))),
        }
    }
}

/// Opens a folder that is no link.
pub(super) fn open_plain_folder(dir: &Dir, path: &Path) -> io::Result<Dir> {
    dir.open_dir_nofollow(path)
}

fn special(path: &str) -> Refusal {
    Refusal(format!("'{path}' is neither a file nor a folder (a pipe, a socket or a device)"))
}

/// The message of a system error, for the model.
pub(super) fn refusal(path: &str, error: &io::Error) -> Refusal {
    // The refusal to leave the folder is the library's own and has no number; the system's have one.
    let escape = error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none();
    Refusal(match error.kind() {
        _ if escape => format!("'{path}' is outside the project folder; only files inside it can be used"),
        io::ErrorKind::NotFound => {
            format!("'{path}' does not exist; use list_files to see the existing files")
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            format!("a parent of '{path}' is not a folder")
        }
        io::ErrorKind::IsADirectory => format!("'{path}' is a folder"),
        io::ErrorKind::PermissionDenied => format!("'{path}': permission denied"),
        _ => format!("'{path}' cannot be used: {error}"),
    })
}
