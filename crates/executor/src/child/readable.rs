//! What a confined command may read besides its own folders. `docs/guides/operations.md` lists the same paths.
//!
//! Landlock grants paths and cannot except any below them, so nothing is granted that holds secrets further down: not all
//! of `/etc` (keys of services, passwords in settings), and not all of `/proc` (command lines of other processes). A
//! process cannot be granted its own `/proc/self` either: a rule names one process, and a command starts many.

use std::path::{Path, PathBuf};

/// Programs and their libraries, to be read and run.
pub(super) const PROGRAMS: [&str; 11] = [
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/opt",
    "/run/current-system",
    "/sbin",
    "/snap",
    "/usr",
];

/// Settings of the system that programs need: the loader, users and groups by name, host names, time zones, certificates,
/// and language runtimes that keep part of themselves in `/etc`.
pub(super) const SETTINGS: [&str; 37] = [
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/gai.conf",
    "/etc/gitconfig",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/networks",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/perl",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/openssl.cnf",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl/cert.pem",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
    "/run/systemd/resolve",
];

/// Folders of `/etc` that carry a version in their names, by how they begin: `python3.11`, `java-17-openjdk`.
pub(super) const VERSIONED: [&str; 2] = ["/etc/java-", "/etc/python3"];

/// What the kernel says about the machine and about no process.
pub(super) const KERNEL: [&str; 11] = [
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys",
    "/proc/uptime",
    "/proc/version",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
    "/sys/kernel/mm/transparent_hugepage",
];

/// Devices to be read. A disk is a device too, so each is named.
pub(super) const SOURCES: [&str; 2] = ["/dev/random", "/dev/urandom"];

/// Devices that may be read and written, because they store nothing.
pub(super) const DEVICES: [&str; 4] = ["/dev/full", "/dev/null", "/dev/tty", "/dev/zero"];

/// Everything that may be read, with programs that may be run.
pub(super) fn paths() -> Vec<PathBuf> {
    let named = [&PROGRAMS[..], &SETTINGS, &KERNEL, &SOURCES].concat();
    named.into_iter().map(PathBuf::from).chain(versioned(Path::new("/etc"))).collect()
}

/// The folders that are there of those that carry a version.
fn versioned(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let is_granted = |path: &PathBuf| {
        let text = path.to_string_lossy();
        VERSIONED.iter().any(|start| text.starts_with(start))
    };
    entries.map(|entry| entry.path()).filter(is_granted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guide_names_every_path() {
        let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/operations.md");
        let guide = std::fs::read_to_string(guide).unwrap();
        let all = [&PROGRAMS[..], &SETTINGS, &VERSIONED, &KERNEL, &SOURCES, &DEVICES].concat();
        let missing: Vec<&str> = all.into_iter().filter(|path| !is_named(&guide, path)).collect();
        assert_eq!(missing, Vec::<&str>::new());
    }

    /// Whether a path is in a text between backticks, whole or followed by `*`.
    fn is_named(text: &str, path: &str) -> bool {
        text.contains(&format!("`{path}`")) || text.contains(&format!("`{path}*`"))
    }
}
