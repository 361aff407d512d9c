//! `accord agents validate` and `agents list` on invalid agents.

use crate::support::Folder;

const BROKEN: &str = r#"{
  "name": "rules",
  "output_schema": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}},
  "invariants": [
    {"rule": "output.b == 1 &&", "message": "first"},
    {"rule": "output.a ==", "message": "second"}
  ],
  "executor": {"type": "llm", "provider": "anthropic", "model": "m"}
}"#;

const NAMED: &str = r#"{
  "name": "named",
  "output_schema": "report",
  "executor": {"type": "llm", "provider": "anthropic", "model": "m"}
}"#;

#[test]
fn every_broken_invariant_is_reported() {
    let folder = Folder::with(&[(".accord/agents/rules/agent.json", BROKEN)]);
    let ran = folder.run(&["agents", "validate"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    for place in ["$.invariants[0].rule", "$.invariants[1].rule"] {
        assert!(ran.stdout.contains(place), "{ran:?}");
    }
    for arguments in [&["agents", "list"][..], &["agents", "list", "--json"]] {
        let ran = folder.run(arguments, "");
        assert!(ran.stderr.contains("warning: 1 invalid agent; run `accord agents validate`"), "{ran:?}");
    }
}

#[test]
fn a_schema_that_is_not_registered_is_a_warning() {
    let folder = Folder::with(&[
        (".accord/agents/named/agent.json", NAMED),
        ("report.json", r#"{"type": "object", "properties": {"a": {"type": "string"}}}"#),
    ]);
    let ran = folder.run(&["agents", "validate"], "");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("warning: schema 'report' is not registered"), "{ran:?}");
    assert!(ran.stdout.contains("accord schemas add report FILE"), "{ran:?}");
    assert!(!folder.path().join(".accord/accord.db").exists(), "looking leaves nothing behind");
    assert_eq!(folder.run(&["agents", "validate", "--deny-warnings"], "").code, Some(1));
    assert_eq!(folder.run(&["schemas", "add", "report", "report.json"], "").code, Some(0));
    let ran = folder.run(&["agents", "validate", "--deny-warnings"], "");
    assert!(ran.code == Some(0) && !ran.stdout.contains("registered"), "{ran:?}");
}
