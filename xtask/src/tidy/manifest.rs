//! What a crate's `Cargo.toml` says of its dependencies.

use toml::{Table, Value};

use super::repository::{Repository, SourceFile};

/// A crate of this workspace.
#[derive(Debug)]
pub(super) struct Manifest<'a> {
    pub(super) file: &'a SourceFile,
    pub(super) name: String,
    pub(super) table: Table,
}

/// A dependency of a crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) name: String,
    pub(super) for_tests: bool,
}

/// Every crate that is tracked. A manifest that cannot be read is cargo's to complain about.
pub(super) fn all(repository: &Repository) -> Vec<Manifest<'_>> {
    let manifests = repository.files.iter().filter(|file| file.path.ends_with("Cargo.toml"));
    manifests
        .filter_map(|file| {
            let table: Table = file.text.parse().ok()?;
            let name = table.get("package")?.get("name")?.as_str()?.to_owned();
            Some(Manifest { file, name, table })
        })
        .collect()
}

impl Manifest<'_> {
    /// All dependencies, also those of one platform.
    pub(super) fn dependencies(&self) -> Vec<Dependency> {
        let platforms = self.table.get("target").and_then(Value::as_table);
        let platforms = platforms.into_iter().flat_map(Table::values).filter_map(Value::as_table);
        std::iter::once(&self.table).chain(platforms).flat_map(dependencies_in).collect()
    }

    /// The line that names a dependency, for the finding.
    pub(super) fn line_of(&self, dependency: &str) -> usize {
        let found = self.file.text.lines().position(|line| {
            line.strip_prefix(dependency).is_some_and(|rest| rest.starts_with([' ', '.', '=']))
                || line.contains(&format!("\"{dependency}\""))
        });
        found.map_or(1, |index| index + 1)
    }
}

fn dependencies_in(table: &Table) -> Vec<Dependency> {
    let kinds = [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)];
    let mut found = Vec::new();
    for (key, for_tests) in kinds {
        let listed = table.get(key).and_then(Value::as_table);
        for (name, details) in listed.into_iter().flatten() {
            let renamed = details.get("package").and_then(Value::as_str);
            found.push(Dependency { name: renamed.unwrap_or(name).to_owned(), for_tests });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_dependency_is_seen() {
        let text = "[package]\nname = \"a\"\n[dependencies]\nb.workspace = true\nx = { package = \"c\" }\n\
                    [build-dependencies]\nd = \"1\"\n[dev-dependencies]\ne = \"1\"\n\
                    [target.'cfg(unix)'.dependencies]\nf = \"1\"\n";
        let repository = Repository::of(&[("crates/a/Cargo.toml", text)]);
        let manifests = all(&repository);
        let names: Vec<(String, bool)> =
            manifests[0].dependencies().into_iter().map(|each| (each.name, each.for_tests)).collect();
        let expected = [("b", false), ("c", false), ("d", false), ("e", true), ("f", false)]
            .map(|(name, tests)| (name.to_owned(), tests));
        assert_eq!(names, expected);
        assert_eq!((manifests[0].line_of("b"), manifests[0].line_of("c")), (4, 5));
    }
}
