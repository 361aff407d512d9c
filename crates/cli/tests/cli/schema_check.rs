//! `accord schema check`.

use serde_json::json;

use crate::support::Folder;

#[test]
fn good_schemas_print_dialect_and_hash() {
    let folder = Folder::with(&[
        ("a.json", "\u{feff}{\"type\": \"object\"}"),
        ("b.json", r#"{"$schema": "https://json-schema.org/draft/2020-12/schema"}"#),
        ("c.json", "true"),
    ]);
    let ran = folder.run(&["schema", "check", "a.json", "b.json", "c.json"], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!(ran.stdout, @"");
    let ran = folder.run(&["schema", "check", "--json", "-"], "true");
    let hash = "sha256:b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b";
    assert_eq!(
        ran.json(),
        json!({"valid": true, "files": [
            {"file": "<stdin>", "valid": true, "dialect": "draft-07", "hash": hash, "error": null}
        ]})
    );
}

#[test]
fn bad_schemas_show_the_place() {
    let folder = Folder::with(&[
        ("good.json", "{}"),
        ("empty.json", ""),
        ("list.json", "[]"),
        ("syntax.json", "{\n  \"type\": 'object'\n}\n"),
        ("cut.json", "{\n  \"properties\": {\n"),
        ("twice.json", "{\n  \"type\": \"object\",\n  \"type\": \"array\"\n}\n"),
        ("nowhere.json", "{\n  \"properties\": {\n    \"a\": {\"$ref\": \"#/$defs/b\"}\n  }\n}\n"),
        ("remote.json", r#"{"$ref": "https://example.org/schema.json"}"#),
        (
            "circle.json",
            "{\n  \"$ref\": \"#/$defs/a\",\n  \"$defs\": {\"a\": {\"$ref\": \"#/$defs/a\"}}\n}\n",
        ),
        ("pattern.json", "{\n  \"items\": {\n    \"pattern\": \"(unclosed\"\n  }\n}\n"),
        ("dialect.json", r#"{"$schema": "http://json-schema.org/draft-03/schema#"}"#),
    ]);
    folder.write("latin.json", b"{\"title\": \"\xe9\"}");
    let arguments = [
        "schema",
        "check",
        "good.json",
        "empty.json",
        "list.json",
        "syntax.json",
        "cut.json",
        "twice.json",
        "nowhere.json",
        "remote.json",
        "circle.json",
        "pattern.json",
        "dialect.json",
        "latin.json",
        "absent.json",
    ];
    let ran = folder.run(&arguments, "");
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
    insta::assert_snapshot!(ran.stderr, @"");
}

#[test]
fn as_data_an_error_has_its_place() {
    let folder = Folder::with(&[("a.json", "{\n  \"type\": \"int\"\n}\n")]);
    let ran = folder.run(&["schema", "check", "--json", "a.json"], "");
    assert_eq!(ran.code, Some(1));
    let error = &ran.json()["files"][0]["error"];
    assert_eq!(
        error["place"],
        json!({"file": "a.json", "line": 2, "column": 11, "path": "$.type", "pointer": "/type"})
    );
}
