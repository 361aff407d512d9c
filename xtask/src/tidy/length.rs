//! One idea a file: 300 lines of code are large, 500 are a reason to split.

use super::Finding;
use super::repository::{Repository, SourceFile};

const LARGE: usize = 300;
const TOO_LARGE: usize = 500;

/// Files that must be split.
pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let remedy = |lines| format!("{lines} lines outside tests, more than {TOO_LARGE}: split it");
    let long = long_files(repository, TOO_LARGE);
    long.map(|(file, lines)| Finding::new(&file.path, TOO_LARGE + 1, "file length", remedy(lines))).collect()
}

/// Files that are large but may stay.
pub(super) fn notes(repository: &Repository) -> Vec<String> {
    let large = long_files(repository, LARGE).filter(|(_, lines)| *lines <= TOO_LARGE);
    large.map(|(file, lines)| format!("{}: {lines} lines outside tests", file.path)).collect()
}

fn long_files(repository: &Repository, limit: usize) -> impl Iterator<Item = (&SourceFile, usize)> {
    let counted = repository.rust().map(|file| {
        let code = file.lines().iter().filter(|line| !line.in_test).count();
        (file, code)
    });
    counted.filter(move |(_, lines)| *lines > limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_rejected_and_large_ones_noted() {
        let (long, large) = ("x;\n".repeat(501), "x;\n".repeat(301));
        let repository = Repository::of(&[
            ("src/long.rs", &long),
            ("src/large.rs", &large),
            ("tests/long.rs", &long),
            ("src/short.rs", "x;\n"),
        ]);
        let remedy = "501 lines outside tests, more than 500: split it";
        assert_eq!(check(&repository), [Finding::new("src/long.rs", 501, "file length", remedy)]);
        assert_eq!(notes(&repository), ["src/large.rs: 301 lines outside tests"]);
    }
}
