//! `accord schemas infer`.

use serde_json::json;

use crate::support::Folder;

#[test]
fn files_are_examples() {
    let folder = Folder::with(&[
        ("a.json", r#"{"name": "Ada", "born": "1815-12-10", "tags": ["x"]}"#),
        ("b.json", r#"{"name": "Alan", "born": null, "tags": []}"#),
    ]);
    let ran = folder.run(&["schema", "infer", "a.json", "b.json"], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(ran.stdout, @r#"
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "type": "object",
      "properties": {
        "name": {
          "type": "string"
        },
        "born": {
          "type": [
            "string",
            "null"
          ],
          "format": "date"
        },
        "tags": {
          "type": "array",
          "items": {
            "type": "string"
          }
        }
      },
      "required": [
        "name",
        "born",
        "tags"
      ]
    }
    "#);
    folder.write("schema.json", ran.stdout.as_bytes());
    for example in ["a.json", "b.json"] {
        assert_eq!(folder.run(&["check", "--schema", "schema.json", example], "").code, Some(0));
    }
}

#[test]
fn lines_are_examples() {
    let folder = Folder::with(&[]);
    let ran = folder.run(&["schema", "infer", "--jsonl", "--closed", "--json"], "{\"a\": 1}\n\n{\"a\": 2.5}");
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"a": {"type": "number"}},
        "required": ["a"],
        "additionalProperties": false,
    });
    assert_eq!(ran.json(), json!({"schema": schema, "examples": 2}));
    assert_eq!(ran.code, Some(0));
}

#[test]
fn an_example_that_is_not_json_is_an_error() {
    let folder = Folder::with(&[("a.json", "{\"a\": 1,}")]);
    let ran = folder.run(&["schema", "infer", "a.json"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    insta::assert_snapshot!(ran.stderr, @r#"
    error: a.json is not valid JSON: trailing comma
     --> a.json:1:9
      |
    1 | {"a": 1,}
      |         ^
    "#);
    let ran = folder.run(&["schema", "infer", "--jsonl"], "1\n{\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    insta::assert_snapshot!(ran.stderr, @r#"
    error: <stdin>:2:1 is not valid JSON: unexpected end of file in an object
    hint: with --jsonl, each line is one example; omit it for files with a single example
    "#);
    let ran = folder.run(&["schema", "infer", "--jsonl", "-"], "\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    insta::assert_snapshot!(ran.stderr, @r#"
    error: no examples found
    hint: pass files, or one example per line with --jsonl
    "#);
}
