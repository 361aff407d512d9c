//! Every error name has a documentation page, and every page belongs to an existing error.

use std::collections::BTreeSet;
use std::path::Path;

use accord_api::ErrorName;

#[test]
fn every_error_has_a_page_with_its_status() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    let mut pages = BTreeSet::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        pages.insert(entry.unwrap().file_name().into_string().unwrap());
    }
    for other in ["README.md", "openai.md", "run-failures.md"] {
        assert!(pages.remove(other), "{other}");
    }
    let names: BTreeSet<String> = ErrorName::ALL.iter().map(|name| format!("{}.md", name.as_str())).collect();
    assert_eq!(pages, names);
    for name in ErrorName::ALL {
        let page = std::fs::read_to_string(folder.join(format!("{}.md", name.as_str()))).unwrap();
        let status = format!("Status {}.", name.status());
        assert!(page.contains(&status), "{}", name.as_str());
    }
}
