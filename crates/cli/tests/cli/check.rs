//! `accord check` on one text.

use serde_json::json;

use crate::support::{Folder, Ran};

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "severity": {"enum": ["low", "medium", "high"]},
    "count": {"type": "number"}
  },
  "required": ["severity"]
}
"#;

fn folder() -> Folder {
    Folder::with(&[("schema.json", SCHEMA)])
}

fn problem(code: i32, stderr: &str) -> Ran {
    Ran { code: Some(code), stdout: String::new(), stderr: stderr.to_owned() }
}

#[test]
fn a_valid_text_prints_the_value_unchanged() {
    let ran = folder().run(
        &["check", "--schema", "schema.json"],
        r#"{"severity": "low", "count": 12345678901234567890.10}"#,
    );
    let expected = concat!(
        r#"{"valid":true,"value":{"severity":"low","count":12345678901234567890.10},"errors":[],"#,
        r#""repairs":[],"outcome":null,"source":"text","more_errors":0}"#,
        "\n"
    );
    assert_eq!(ran, Ran { code: Some(0), stdout: expected.to_owned(), stderr: String::new() });
}

#[test]
fn a_rejected_text_prints_errors_and_their_location_on_stderr() {
    let folder = folder();
    folder.write("answer.txt", b"{\n  \"count\": 1,\n  \"severity\": \"critical\"\n}\n");
    let ran = folder.run(&["check", "--schema", "schema.json", "answer.txt"], "");
    assert_eq!(ran.code, Some(2));
    let view = ran.json();
    assert_eq!(
        view.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["valid", "value", "errors", "repairs", "outcome", "source", "more_errors"]
    );
    assert_eq!(
        (&view["valid"], &view["value"], &view["repairs"], &view["outcome"], &view["source"]),
        (&json!(false), &json!(null), &json!([]), &json!("schema_invalid"), &json!(null))
    );
    let error = view["errors"].as_array().unwrap().first().unwrap().as_object().unwrap();
    assert_eq!(error.keys().collect::<Vec<_>>(), ["path", "pointer", "keyword", "message"]);
    assert_eq!(
        (&error["path"], &error["pointer"], &error["keyword"]),
        (&json!("$.severity"), &json!("/severity"), &json!("enum"))
    );
    let place = r#" --> answer.txt:3:15 at $.severity
  |
3 |   "severity": "critical"
  |               ^^^^^^^^^^
"#;
    assert!(ran.stderr.contains(place), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("rejected: the value does not conform to the schema (schema_invalid)\n"));
    assert!(!ran.stderr.contains('\u{1b}'));
}

#[test]
fn text_without_json_and_empty_text_are_rejected() {
    for text in ["I cannot do that.", "", "\n \n"] {
        let ran = folder().run(&["check", "--schema", "schema.json", "--json", "-"], text);
        assert_eq!(ran.code, Some(2));
        assert_eq!(ran.json()["outcome"], json!("no_json"));
        assert!(ran.stderr.contains("rejected: there is no JSON value in the text (no_json)"));
    }
}

#[test]
fn colours_are_printed_only_on_request() {
    let folder = folder();
    let run = |variables| folder.run_with(&["check", "--schema", "schema.json"], "1", variables);
    let forced = run(&[("CLICOLOR_FORCE", "1")]);
    assert!(forced.stderr.contains("\u{1b}[31m"), "{}", forced.stderr);
    assert!(!forced.stdout.contains('\u{1b}'));
    assert!(!run(&[]).stderr.contains('\u{1b}'));
    assert!(!run(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).stderr.contains('\u{1b}'));
}

#[test]
fn control_characters_in_the_text_are_escaped() {
    let text = "{\"severity\": \"\u{202e}wol\u{9b}2J\"}";
    let ran = folder().run_with(&["check", "--schema", "schema.json"], text, &[("CLICOLOR_FORCE", "1")]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains(r#""\u{202e}wol\u{9b}2J""#), "{}", ran.stderr);
    assert!(!ran.stderr.contains(['\u{202e}', '\u{9b}']));
}

#[test]
fn invalid_utf8_is_an_error_with_its_position() {
    let folder = folder();
    folder.write("answer.txt", b"{\"severity\": \"l\xf6w\"}");
    insta::assert_snapshot!(folder.run(&["check", "--schema", "schema.json", "answer.txt"], "").stderr, @r#"
    error: answer.txt is not valid UTF-8: byte 0xf6 at offset 15
    hint: convert it to UTF-8, for example with iconv
    "#);
    let ran = folder.run(&["check", "--schema", "schema.json"], b"\xff".to_vec());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    insta::assert_snapshot!(ran.stderr, @r#"
    error: <stdin> is not valid UTF-8: byte 0xff at offset 0
    hint: convert it to UTF-8, for example with iconv
    "#);
}

#[test]
fn unreadable_files_are_named() {
    let folder = folder();
    let ran = folder.run(&["check", "--schema", "nowhere.json", "answer.txt"], "");
    insta::assert_snapshot!(ran.stderr, @r#"
    error: cannot read nowhere.json: No such file or directory (os error 2)
    hint: check the path; '-' reads from stdin
    "#);
    assert_eq!(ran, problem(1, &ran.stderr));
    let ran = folder.run(&["check", "--schema", "schema.json", "answer.txt"], "");
    insta::assert_snapshot!(ran.stderr, @r#"
    error: cannot read answer.txt: No such file or directory (os error 2)
    hint: check the path; '-' reads from stdin
    "#);
    assert_eq!(ran, problem(1, &ran.stderr));
    let ran = folder.run(&["check", "--schema", ".", "answer.txt"], "");
    insta::assert_snapshot!(ran.stderr, @r#"
    error: cannot read .: Is a directory (os error 21)
    hint: pass a file inside the directory
    "#);
    assert_eq!(ran, problem(1, &ran.stderr));
}

#[test]
fn the_schema_may_come_from_stdin() {
    let folder = folder();
    folder.write("answer.txt", b"7");
    let ran = folder.run(&["check", "--schema", "-", "answer.txt"], r#"{"type": "integer"}"#);
    assert_eq!((ran.code, &ran.json()["value"]), (Some(0), &json!(7)));
    let ran = folder.run(&["check", "--schema", "-"], "{}");
    insta::assert_snapshot!(ran.stderr, @r#"
    error: both the schema and the text would be read from stdin
    hint: name a file for one of them
    "#);
    assert_eq!(ran, problem(1, &ran.stderr));
}

#[test]
fn an_invalid_schema_is_a_usage_error() {
    let folder = folder();
    folder.write("broken.json", b"{\"type\": \"object\",\n}");
    let ran = folder.run(&["check", "--schema", "broken.json"], "{}");
    insta::assert_snapshot!(ran.stderr, @r#"
    error: broken.json is not valid JSON: trailing comma
     --> broken.json:2:1
      |
    2 | }
      | ^
    "#);
    assert_eq!(ran, problem(1, &ran.stderr));
}

#[test]
fn invariants_are_read_from_a_list() {
    let folder = folder();
    folder.write("rules.json", br#"[{"rule": "true", "message": "always"}]"#);
    folder.write("not-rules.json", br#"{"rule": "true"}"#);
    folder.write("input.json", b"{}");
    let arguments =
        ["check", "--schema", "schema.json", "--invariants", "rules.json", "--input", "input.json"];
    let ran = folder.run(&arguments, r#"{"severity": "low"}"#);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let ran = folder.run(&["check", "--schema", "schema.json", "--invariants", "not-rules.json"], "{}");
    insta::assert_snapshot!(ran.stderr, @r#"
    error: not-rules.json is no list of invariants: invalid type: map, expected a sequence
    hint: write [{"rule": "output.total >= 0", "message": "the total is negative"}]
    "#);
    assert_eq!(ran, problem(1, &ran.stderr));
}

#[test]
fn the_mode_decides_what_is_repaired() {
    let folder = folder();
    let text = r#"{"severity": "low",}"#;
    let strict = folder.run(&["check", "--schema", "schema.json"], text);
    assert_eq!((strict.code, &strict.json()["outcome"]), (Some(2), &json!("parse_error")));
    assert!(
        strict.stderr.ends_with("hint: --mode lenient accepts this text with 1 repair\n"),
        "{}",
        strict.stderr
    );
    let lenient = folder.run(&["check", "--schema", "schema.json", "--mode", "lenient"], text);
    let view = lenient.json();
    assert_eq!((lenient.code, &view["value"]), (Some(0), &json!({"severity": "low"})));
    let repair = view["repairs"][0].as_object().unwrap();
    assert_eq!(repair.keys().collect::<Vec<_>>(), ["kind", "path", "detail"]);
    assert_eq!((&repair["kind"], &repair["path"]), (&json!("extra_comma"), &json!("$")));
}

#[test]
fn options_decide_where_the_value_may_be() {
    let folder = folder();
    let text = "Here it is:\n```json\n{\"severity\": \"low\"}\n```\n";
    let run = |options: &[&str]| folder.run(&[&["check", "--schema", "schema.json"], options].concat(), text);
    assert_eq!((run(&[]).code, &run(&[]).json()["source"]), (Some(0), &json!("fence")));
    assert_eq!(run(&["--no-extract"]).code, Some(2));
    assert_eq!(run(&["--strict-json-only"]).code, Some(2));
}

#[test]
fn an_unknown_mode_is_wrong_usage() {
    let ran = folder().run(&["check", "--schema", "schema.json", "--mode", "loose"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
    assert!(ran.stderr.contains("[possible values: strict, lenient]"), "{}", ran.stderr);
}

#[test]
fn a_text_over_the_limit_is_rejected() {
    let text = format!("{}1", " ".repeat(8 * 1024 * 1024));
    let ran = folder().run(&["check", "--schema", "schema.json"], text);
    assert_eq!((ran.code, &ran.json()["errors"][0]["keyword"]), (Some(2), &json!("limit")));
}
