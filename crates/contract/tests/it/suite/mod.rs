//! The official JSON-Schema-Test-Suite, through the public API.
//!
//! Every test must pass except those in `exceptions.toml`, each with a reason. The lists are
//! compared as a whole: remove a test that starts to pass, fix one that starts to fail.

mod exceptions;

use accord_contract::Meter;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use accord_contract::Schema;
use serde_json::Value;

/// The results for some files.
#[derive(Default)]
struct Results {
    tests: usize,
    failed_tests: usize,
    failures: BTreeSet<String>,
}

impl Results {
    /// A group whose schema does not compile is one failure; otherwise each wrong verdict is one.
    fn add_file(&mut self, draft: &str, path: &Path) {
        let text = std::fs::read_to_string(path).unwrap();
        let file = path.strip_prefix(vendor().join(draft)).unwrap().display();
        let groups: Vec<Value> = serde_json::from_str(&text).unwrap();
        for group in groups {
            let name = format!("{draft}/{file}: {}", group["description"].as_str().unwrap());
            let tests = group["tests"].as_array().unwrap();
            self.tests += tests.len();
            let Ok(schema) = Schema::compile(&named(draft, &group["schema"]), &Meter::default()) else {
                self.failed_tests += tests.len();
                self.failures.insert(name);
                continue;
            };
            for test in tests {
                if Some(schema.accepts(&test["data"], &Meter::default())) != test["valid"].as_bool() {
                    self.failed_tests += 1;
                    self.failures.insert(format!("{name}: {}", test["description"].as_str().unwrap()));
                }
            }
        }
    }
}

/// The tests of draft-07 do not name it.
fn named(draft: &str, schema: &Value) -> Value {
    let mut named = schema.clone();
    if let (Value::Object(keywords), "draft7") = (&mut named, draft) {
        keywords.entry("$schema").or_insert_with(|| "http://json-schema.org/draft-07/schema#".into());
    }
    named
}

fn vendor() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/vendor")
}

fn run(draft: &str, folder: &str) -> Results {
    let mut files: Vec<PathBuf> = std::fs::read_dir(vendor().join(draft).join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let mut results = Results::default();
    files.iter().for_each(|path| results.add_file(draft, path));
    results
}

/// The failures must be exactly the exceptions.
fn check(draft: &str, folder: &str, expected_tests: usize) {
    let results = run(draft, folder);
    println!("{draft}/{folder}: {} of {} tests pass", results.tests - results.failed_tests, results.tests);
    let excepted = exceptions::of(draft, folder);
    let new: Vec<_> = results.failures.difference(&excepted).collect();
    let gone: Vec<_> = excepted.difference(&results.failures).collect();
    assert!(new.is_empty(), "these fail and are not excepted: {new:#?}");
    assert!(gone.is_empty(), "these are excepted and do not fail; strike them: {gone:#?}");
    assert_eq!(results.tests, expected_tests, "the suite has another size than was recorded");
}

#[test]
fn draft7_required() {
    check("draft7", "", 913);
}

#[test]
fn draft7_optional() {
    check("draft7", "optional", 118);
}

#[test]
fn draft7_formats() {
    check("draft7", "optional/format", 434);
}

#[test]
fn draft201909_required() {
    check("draft2019-09", "", 1227);
}

#[test]
fn draft201909_optional() {
    check("draft2019-09", "optional", 154);
}

#[test]
fn draft201909_formats() {
    check("draft2019-09", "optional/format", 483);
}

#[test]
fn draft202012_required() {
    check("draft2020-12", "", 1257);
}

#[test]
fn draft202012_optional() {
    check("draft2020-12", "optional", 158);
}

#[test]
fn draft202012_formats() {
    check("draft2020-12", "optional/format", 491);
}
