//! `accord schemas lower`.

use serde_json::json;

use crate::support::Folder;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {"name": {"type": "string", "minLength": 3}},
  "required": ["name"],
  "additionalProperties": false
}
"#;

#[test]
fn the_schema_goes_to_stdout_and_losses_to_stderr() {
    let folder = Folder::with(&[("schema.json", SCHEMA)]);
    let ran = folder.run(&["schema", "lower", "--for", "openai", "schema.json"], "");
    assert_eq!(ran.code, Some(0));
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&ran.stdout).unwrap(),
        json!({
            "type": "object",
            "properties": {"name": {"type": "string", "description": "At least 3 characters."}},
            "required": ["name"],
            "additionalProperties": false,
        })
    );
    insta::assert_snapshot!(ran.stderr, @r#"
    note: OpenAI strict does not enforce these keywords:
      path              keyword    enforced by
      /properties/name  minLength  prompt, validator
    "#);
}

#[test]
fn json_output_is_one_object() {
    let folder = Folder::with(&[]);
    let ran = folder.run(&["schema", "lower", "--for", "claude", "--json", "-"], SCHEMA);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let view = ran.json();
    assert_eq!(
        view.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["provider", "schema", "losses", "refusal", "counts"]
    );
    assert_eq!(view["provider"], json!("claude"));
    assert_eq!(
        view["losses"],
        json!([{"pointer": "/properties/name", "keyword": "minLength", "enforced_by": "prompt"}])
    );
}

#[test]
fn the_requested_provider_is_used() {
    let folder = Folder::with(&[]);
    let lower = |name: &str| {
        let view = folder.run(&["schema", "lower", "--for", name, "--json", "-"], SCHEMA).json();
        (view["provider"].clone(), view["schema"].clone())
    };
    let (ollama, llama) = (lower("ollama"), lower("llama.cpp"));
    assert_eq!((ollama.0, llama.0), (json!("ollama"), json!("llama.cpp")));
    assert_eq!(ollama.1, llama.1, "the rules are the same");
}

#[test]
fn an_unsupported_schema_is_shown_and_rejected() {
    let tree = r##"{"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties":
        {"children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "required": ["children"]}}}"##;
    let folder = Folder::with(&[("tree.json", tree)]);
    let ran = folder.run(&["schema", "lower", "--for", "anthropic", "tree.json"], "");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stdout.starts_with("{\n"));
    assert!(ran.stderr.contains("error: tree.json cannot be sent as a native schema: "), "{}", ran.stderr);
}

#[test]
fn every_name_that_the_guides_use_is_listed() {
    let help = Folder::with(&[]).run(&["schema", "lower", "--help"], "").stdout;
    for name in ["openai", "anthropic", "ollama", "llama.cpp"] {
        assert!(help.contains(name), "{name}: {help}");
    }
}

#[test]
fn a_schema_that_does_not_compile_is_not_lowered() {
    let folder = Folder::with(&[("bad.json", r#"{"type": "int"}"#)]);
    let ran = folder.run(&["schema", "lower", "--for", "ollama", "bad.json"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.contains("bad.json:1:10 at $.type"), "{}", ran.stderr);
}
