//! `accord schemas lint`.

use serde_json::json;

use crate::support::{Folder, Ran};

const GOOD: &str = r#"{"type": "object", "properties": {"done": {"type": "boolean"}}, "required": ["done"], "additionalProperties": false}"#;

/// No number is above 5 and below 1.
const CONTRADICTION: &str = r#"{
  "type": "object",
  "properties": {
    "count": {"type": "integer", "minimum": 5, "maximum": 1}
  }
}
"#;

const UNDECLARED: &str = "{\n  \"type\": \"object\",\n  \"properties\": {},\n  \"required\": [\"name\"]\n}\n";

/// One provider rejects recursive schemas.
const TREE: &str =
    r##"{"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": false}"##;

fn folder() -> Folder {
    Folder::with(&[
        ("contradiction.json", CONTRADICTION),
        ("undeclared.json", UNDECLARED),
        ("tree.json", TREE),
        ("good.json", GOOD),
        ("bad.json", r#"{"type": "int"}"#),
    ])
}

fn lint(arguments: &[&str]) -> Ran {
    folder().run(&[&["schema", "lint"], arguments].concat(), "")
}

#[test]
fn a_schema_without_findings_is_ok() {
    let expected = Ran { code: Some(0), stdout: "ok  good.json\n".to_owned(), stderr: String::new() };
    assert_eq!(lint(&["good.json"]), expected);
}

#[test]
fn an_error_is_shown_at_its_location() {
    let ran = lint(&["contradiction.json"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""));
    assert!(ran.stdout.starts_with("error[contradictory-bounds]: "), "{}", ran.stdout);
    let place = r#" --> contradiction.json:4:45 at $.properties.count.minimum
  |
4 |     "count": {"type": "integer", "minimum": 5, "maximum": 1}
  |                                             ^
"#;
    assert!(ran.stdout.contains(place), "{}", ran.stdout);
}

#[test]
fn warnings_fail_only_if_denied() {
    let ran = lint(&["undeclared.json"]);
    assert!(ran.stdout.contains("warning[required-not-declared]: "), "{}", ran.stdout);
    assert_eq!(ran.code, Some(0));
    assert_eq!(lint(&["--deny-warnings", "undeclared.json"]).code, Some(1));
}

#[test]
fn provider_limits_count_when_the_provider_is_named() {
    assert!(lint(&["tree.json"]).stdout.contains("provider-refuses"));
    assert_eq!(lint(&["--deny-warnings", "tree.json"]).code, Some(0));
    assert_eq!(lint(&["--deny-warnings", "--provider", "anthropic", "tree.json"]).code, Some(1));
    let other = lint(&["--deny-warnings", "--provider", "openai", "tree.json"]);
    assert_eq!(other.code, Some(0));
    assert!(!other.stdout.contains("Anthropic"), "{}", other.stdout);
}

#[test]
fn json_output_is_one_object_for_all_files() {
    let ran = lint(&["--json", "good.json", "contradiction.json", "bad.json"]);
    assert_eq!(ran.code, Some(1));
    let view = ran.json();
    assert_eq!(view["valid"], json!(false));
    assert_eq!(view["files"][0], json!({"file": "good.json", "findings": [], "error": null}));
    let finding = &view["files"][1]["findings"][0];
    let named = json!({"rule": "contradictory-bounds", "severity": "error", "line": 4, "column": 45,
        "pointer": "/properties/count/minimum", "path": "$.properties.count.minimum"});
    for (name, value) in named.as_object().unwrap() {
        assert_eq!(&finding[name], value, "{name}");
    }
    assert_eq!(view["files"][2]["error"]["place"]["line"], json!(1));
}
