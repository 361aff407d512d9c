//! The modules of a crate, and which files the names in each lead to.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::super::repository::SourceFile;
use super::paths::{Names, names};

/// Re-exports are followed over this many declarations.
const LONGEST_WAY: usize = 12;

struct Module<'r> {
    file: &'r str,
    names: Names,
    /// The words of the code outside of `use` declarations.
    words: HashSet<String>,
}

/// The files of a crate by the paths of their modules.
pub(super) struct Crate<'r>(BTreeMap<Vec<String>, Module<'r>>);

impl<'r> Crate<'r> {
    pub(super) fn of(files: &[&'r SourceFile]) -> Self {
        let module = |file: &&'r SourceFile| {
            let code: Vec<&str> =
                file.lines().into_iter().filter(|line| !line.in_test).map(|line| line.text).collect();
            let names = names(&code.join("\n"));
            let words = names.paths.iter().flatten().cloned().collect();
            (path_of(&file.path), Module { file: &file.path, names, words })
        };
        Self(files.iter().map(module).collect())
    }

    /// For each file, the others that define what it names.
    pub(super) fn dependencies(&self) -> BTreeMap<&'r str, BTreeSet<&'r str>> {
        let of = |(path, module): (&Vec<String>, &Module<'r>)| {
            let uses = module.names.uses.iter();
            // A re-export is a dependency only where the file uses the name itself.
            let uses = uses.filter(|each| !each.exported || module.words.contains(&each.name));
            let named = uses.map(|each| &each.path);
            let named = named.chain(module.names.paths.iter().filter(|path| path.len() > 1));
            let files = named.filter_map(|name| self.definition(path, name, 0));
            (module.file, files.filter(|file| *file != module.file).collect())
        };
        self.0.iter().map(of).collect()
    }

    /// The file that defines what a path means in a module. A module itself is not a definition.
    fn definition(&self, module: &[String], path: &[String], way: usize) -> Option<&'r str> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.down(&[], rest, way),
            "self" => self.down(module, rest, way),
            "super" => {
                let (_, parent) = module.split_last()?;
                match rest.first().is_some_and(|next| next == "super") {
                    true => self.definition(parent, rest, way),
                    false => self.down(parent, rest, way),
                }
            }
            _ if self.0.contains_key(&child(module, first)) => self.down(&child(module, first), rest, way),
            _ => self.followed(module, first, rest, way),
        }
    }

    /// Goes down from a module, segment by segment.
    fn down(&self, module: &[String], path: &[String], way: usize) -> Option<&'r str> {
        let (first, rest) = path.split_first()?;
        let inner = child(module, first);
        if self.0.contains_key(&inner) {
            return self.down(&inner, rest, way);
        }
        let here = self.0.get(module)?;
        match first != "*" && here.names.uses.iter().any(|each| each.name == *first) {
            true => self.followed(module, first, rest, way),
            false => Some(here.file),
        }
    }

    /// Follows a name that a module has from a `use` declaration.
    fn followed(&self, module: &[String], name: &str, rest: &[String], way: usize) -> Option<&'r str> {
        let found = self.0.get(module)?.names.uses.iter().find(|each| each.name == name)?;
        let path: Vec<String> = found.path.iter().chain(rest).cloned().collect();
        if way == LONGEST_WAY || found.path.first().is_some_and(|first| first == name) {
            return None;
        }
        self.definition(module, &path, way + 1)
    }
}

fn child(module: &[String], name: &str) -> Vec<String> {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

/// The path of the module that a file is.
fn path_of(file: &str) -> Vec<String> {
    let (_, inner) = file.split_once("/src/").unwrap_or_default();
    let mut path: Vec<String> = inner.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if path.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        path.pop();
    }
    path
}
