//! How much product code each crate has: lines without tests, comments and blank lines.

use std::collections::BTreeMap;

use super::repository::Repository;

/// For tests only.
const TEST_CRATES: [&str; 2] = ["corpus", "test-support"];

/// The lines of each crate.
pub(super) fn by_crate(repository: &Repository) -> BTreeMap<&str, usize> {
    let mut crates = BTreeMap::new();
    for file in repository.rust() {
        let Some((name, rest)) = file.path.strip_prefix("crates/").and_then(|path| path.split_once('/'))
        else {
            continue;
        };
        if rest.starts_with("src/") && !TEST_CRATES.contains(&name) {
            let is_code = |text: &str| !text.is_empty() && !text.starts_with("//");
            let lines = file.lines();
            let code = lines.iter().filter(|line| !line.in_test && is_code(line.text.trim_start()));
            *crates.entry(name).or_default() += code.count();
        }
    }
    crates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_product_code_is_counted() {
        let code = "//! A.\n\nfn a() {}\n\n/// B.\nfn b() {\n    // c\n}\n#[cfg(test)]\nmod tests {\n}\n";
        let repository = Repository::of(&[
            ("crates/a/src/lib.rs", code),
            ("crates/a/src/more.rs", "fn c() {}"),
            ("crates/a/src/tests.rs", code),
            ("crates/a/tests/it.rs", code),
            ("crates/corpus/src/lib.rs", code),
            ("xtask/src/main.rs", code),
        ]);
        assert_eq!(by_crate(&repository), BTreeMap::from([("a", 4)]));
    }
}
