//! JSON from outside is scanned before it is parsed: where it comes in, nothing calls `serde_json` itself.

use super::Finding;
use super::repository::{Repository, SourceFile};

/// Where JSON comes in.
const DOORS: &[&str] = &["crates/coordinator/src/http/", "crates/executor/src/", "crates/mcp/src/"];

const UNSCANNED: &[&str] = &["serde_json::from_str", "serde_json::from_slice", "serde_json::from_reader"];

/// Files that parse something else, and what.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("crates/coordinator/src/http/audit/record.rs", "our own responses"),
    ("crates/coordinator/src/http/conditions.rs", "a stored response"),
    ("crates/coordinator/src/http/openai/envelope.rs", "our own errors"),
    ("crates/coordinator/src/http/openai/work.rs", "stored contracts and parameters"),
    ("crates/executor/src/llm/wire/chat/read.rs", "whether a text is JSON, without making values"),
    ("crates/executor/src/llm/wire/written.rs", "the texts of values that were read before"),
    ("crates/mcp/src/caller.rs", "a form of our own"),
    ("crates/mcp/src/handler.rs", "a value that was read before"),
];

pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let is_door = |file: &&SourceFile| {
        DOORS.iter().any(|door| file.path.starts_with(door))
            && !EXCEPTIONS.iter().any(|(path, _)| *path == file.path)
    };
    repository.rust().filter(is_door).flat_map(check_file).collect()
}

fn check_file(file: &SourceFile) -> Vec<Finding> {
    let lines = file.lines();
    let unscanned = lines.iter().filter(|line| !line.in_test).filter_map(|line| {
        let code = line.text.split("//").next().unwrap_or_default();
        let named = UNSCANNED.iter().find(|name| code.contains(*name))?;
        let remedy = format!(
            "'{named}' makes values that nobody counted; use a reader of accord_json, which takes a Checked text"
        );
        Some(Finding::new(&file.path, line.number, "scanned JSON", remedy))
    });
    unscanned.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, code: &str) -> usize {
        check(&Repository::of(&[(path, code)])).len()
    }

    #[test]
    fn unscanned_json_is_found_where_it_comes_in() {
        let code = "let value: Value = serde_json::from_str(line)?;";
        assert_eq!(findings("crates/executor/src/a.rs", code), 1);
        assert_eq!(findings("crates/coordinator/src/http/a.rs", &code.replace("str", "slice")), 1);
        assert_eq!(findings("crates/coordinator/src/app/a.rs", code), 0);
        assert_eq!(findings("crates/mcp/src/handler.rs", code), 0);
        assert_eq!(
            findings("crates/mcp/src/a.rs", &format!("#[cfg(test)]\nmod tests {{\n    {code}\n}}")),
            0
        );
        assert_eq!(
            findings("crates/mcp/src/a.rs", "let value = read_strictly(&text)?; // serde_json::from_str"),
            0
        );
    }
}
