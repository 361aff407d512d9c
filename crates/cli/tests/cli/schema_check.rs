//! `accord schemas check`.

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
    insta::assert_snapshot!(ran.stdout, @r#"
    ok  a.json  draft-07  sha256:a2c799262a3ce3c19ef5cdd983bf3d12b43ab3c426227091b909dcb7054738c0
    ok  b.json  2020-12  sha256:042593f8c06f3af13910448e80b07865b66db137c16a125291699564732eac88
    ok  c.json  draft-07  sha256:b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b
    "#);
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
fn invalid_schemas_show_the_location() {
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
        ("pattern.json", "{\n  \"properties\": {\n    \"é\": {\"pattern\": \"(unclosed\"}\n  }\n}\n"),
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
    insta::assert_snapshot!(ran.stderr, @r##"
    error: empty.json is empty: expected JSON (schema)
    error: list.json is not a valid schema: expected a schema (object or boolean), got an array
     --> list.json:1:1
      |
    1 | []
      | ^^
    error: syntax.json is not valid JSON: expected a value
     --> syntax.json:2:11
      |
    2 |   "type": 'object'
      |           ^
    error: cut.json is not valid JSON: unexpected end of file in an object
     --> cut.json:2:18
      |
    2 |   "properties": {
      |                  ^
    error: twice.json is not valid JSON: duplicate key 'type'
     --> twice.json:3:8
      |
    3 |   "type": "array"
      |        ^
    error: nowhere.json is not a valid schema: unresolved reference '#/$defs/b'
     --> nowhere.json:3:19 at $.properties.a["$ref"]
      |
    3 |     "a": {"$ref": "#/$defs/b"}
      |                   ^^^^^^^^^^^
    error: remote.json is not a valid schema: the reference 'https://example.org/schema.json' points to another document, and remote schemas are not fetched; move that schema to 'definitions' or '$defs'
     --> remote.json:1:10 at $["$ref"]
      |
    1 | {"$ref": "https://example.org/schema.json"}
      |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    error: circle.json is not a valid schema: circular reference: it leads back here without passing through a property or an item
     --> circle.json:3:18 at $["$defs"].a
      |
    3 |   "$defs": {"a": {"$ref": "#/$defs/a"}}
      |                  ^^^^^^^^^^^^^^^^^^^^^
    error: pattern.json is not a valid schema: the pattern "(unclosed" is not a valid regular expression
     --> pattern.json:3:22 at $.properties.é.pattern
      |
    3 |     "é": {"pattern": "(unclosed"}
      |                      ^^^^^^^^^^^
    error: dialect.json is not a valid schema: the dialect 'http://json-schema.org/draft-03/schema#' is not supported; use draft-07, 2019-09 or 2020-12
     --> dialect.json:1:13 at $["$schema"]
      |
    1 | {"$schema": "http://json-schema.org/draft-03/schema#"}
      |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    error: latin.json is not valid UTF-8: byte 0xe9 at offset 11
    hint: convert it to UTF-8, for example with iconv
    error: cannot read absent.json: No such file or directory (os error 2)
    hint: check the path; '-' reads from stdin
    "##);
}

#[test]
fn json_errors_have_a_location() {
    let folder = Folder::with(&[("a.json", "{\n  \"type\": \"int\"\n}\n")]);
    let ran = folder.run(&["schema", "check", "--json", "a.json"], "");
    assert_eq!(ran.code, Some(1));
    let error = &ran.json()["files"][0]["error"];
    assert_eq!(
        error["place"],
        json!({"file": "a.json", "line": 2, "column": 11, "path": "$.type", "pointer": "/type"})
    );
}
