//! `accord check --jsonl`: a stream of requests.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::support::Folder;

const INTEGER: &str = r#"{"type": "integer"}"#;

fn folder() -> Folder {
    Folder::with(&[("integer.json", INTEGER)])
}

#[test]
fn each_request_gets_a_line_in_order() {
    let requests: String = (0..2000)
        .map(|index| {
            let kind = ["integer", "string"][index % 2];
            format!("{}\n", json!({"id": index, "text": index.to_string(), "schema": {"type": kind}}))
        })
        .collect();
    let ran = folder().run(&["check", "--jsonl"], requests);
    let found: Vec<(Value, Value)> =
        ran.json_lines().iter().map(|line| (line["id"].clone(), line["valid"].clone())).collect();
    let expected: Vec<(Value, Value)> =
        (0..2000).map(|index| (json!(index), json!(index % 2 == 0))).collect();
    assert_eq!(found, expected);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), ""));
}

#[test]
fn the_shape_of_a_line_is_fixed() {
    let ran =
        folder().run(&["check", "--jsonl", "--schema", "integer.json"], r#"{"id": 1.50, "text": "7.0"}"#);
    let expected = concat!(
        r#"{"id":1.50,"valid":true,"value":7.0,"errors":[],"repairs":[],"#,
        r#""outcome":null,"source":"text","more_errors":0}"#,
        "\n"
    );
    assert_eq!((ran.stdout.as_str(), ran.code), (expected, Some(0)));
}

#[test]
fn the_line_overrides_the_command_line() {
    let folder = folder();
    folder.write(
        "requests.jsonl",
        br#"{"id": "a", "text": "7", "schema": null, "mode": null}

{"id": "b", "text": "true", "schema": {"type": "boolean"}, "mode": "lenient"}
{"text": "8", "mode": "strict"}
"#,
    );
    let ran = folder.run(&["check", "--jsonl", "--schema", "integer.json", "requests.jsonl"], "");
    let found: Vec<Value> =
        ran.json_lines().iter().map(|line| json!([line["id"], line["valid"], line["value"]])).collect();
    assert_eq!(found, [json!(["a", true, 7]), json!(["b", true, true]), json!([null, true, 8])]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
}

#[test]
fn an_invalid_line_gets_an_error_line() {
    let mut requests = br##"{"id": 1, "text": "7", "class": "plain", "expect": {"kind": "value"}}
nonsense
[1, 2]
{"id": 4}
{"id": 5, "txet": "8"}
{"id": 6, "text": "7", "mode": "loose"}
{"id": 7, "text": "7", "schema": {"type": "int"}}
{"id": 8, "text": "7", "schema": {"$ref": "#/nowhere"}}
{"id": 9, "text": "7", "schema": {"type": "integer", "type": "string"}}
{"id": 10, "text": 7}
{"id": 11, "text": "7", "text": "8"}
"##
    .to_vec();
    requests.extend(b"{\"id\": 12, \"text\": \"\xff\"}\n{\"id\": 13, \"text\": \"x\"}");
    let ran = folder().run(&["check", "--jsonl", "--schema", "integer.json"], requests);
    let lines = ran.json_lines();
    let (first, last) = (lines.first().unwrap(), lines.last().unwrap());
    assert_eq!((&first["id"], &first["valid"]), (&json!(1), &json!(true)));
    assert_eq!(
        (&last["id"], &last["valid"], &last["outcome"]),
        (&json!(13), &json!(false), &json!("no_json"))
    );
    let bad: Vec<String> = lines[1..lines.len() - 1]
        .iter()
        .map(|line| {
            let error = &line["errors"][0];
            let same = json!({"valid": false, "value": null, "path": "$", "pointer": "", "repairs": []});
            let found = json!({"valid": line["valid"], "value": line["value"], "path": error["path"],
                "pointer": error["pointer"], "repairs": line["repairs"]});
            assert_eq!(found, same);
            format!("{} {}: {}", line["id"], error["keyword"], error["message"].as_str().unwrap())
        })
        .collect();
    insta::assert_snapshot!(bad.join("\n"), @r#"
    null "input": line 2 is not JSON: expected ident (column 2)
    null "input": line 3 is no request: it is a list, not an object
    4 "input": line 4 is no request: missing field `text` (column 9)
    5 "input": line 5 is no request: missing field `text` (column 22)
    6 "input": line 6 is no request: unknown variant `loose`, expected `strict` or `lenient` (column 38)
    7 "schema": line 7: the schema cannot be used: unknown type "int"; expected array, boolean, integer, null, number, object or string (at $.type)
    8 "schema": line 8: the schema cannot be used: unresolved reference '#/nowhere' (at $["$ref"])
    9 "schema": line 9: the schema cannot be used: duplicate key 'type'
    10 "input": line 10 is no request: invalid type: integer `7`, expected a string (column 20)
    11 "input": line 11 is no request: duplicate field `text` (column 30)
    null "input": line 12 is not UTF-8 at byte 20 of the line
    "#);
    assert_eq!(ran.code, Some(1));
    insta::assert_snapshot!(ran.stderr, @r#"
    error: 11 of 13 lines could not be used as requests
    hint: their output lines have the keyword 'input' or 'schema' and say why
    "#);
}

#[test]
fn a_line_without_any_schema_is_an_error() {
    let ran = folder().run(&["check", "--jsonl"], r#"{"id": 1, "text": "7"}"#);
    let error = &ran.json()["errors"][0];
    assert_eq!(error["keyword"], json!("schema"));
    assert_eq!(error["message"], json!("line 1: there is no schema; give 'schema' in the line or --schema"));
    assert_eq!(ran.code, Some(1));
}

#[test]
fn empty_input_succeeds() {
    let ran = folder().run(&["check", "--jsonl"], "");
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
}

#[test]
fn each_answer_is_flushed_at_once() {
    let folder = folder();
    let mut session = folder.start(&["check", "--jsonl", "--schema", "integer.json"]);
    for index in 0..5 {
        session.send(&json!({"id": index, "text": index.to_string()}).to_string());
        let reply: Value = serde_json::from_str(&session.receive()).unwrap();
        assert_eq!((&reply["id"], &reply["value"]), (&json!(index), &json!(index)));
    }
    assert_eq!(session.finish(), (Some(0), String::new()));
}

#[test]
fn a_closed_stdout_ends_it_quietly() {
    let folder = folder();
    let mut session = folder.start(&["check", "--jsonl", "--schema", "integer.json"]);
    session.send(r#"{"id": 0, "text": "7"}"#);
    session.receive();
    session.close_stdout();
    let mut stdin = session.take_stdin();
    // The loop ends once the command has exited, because writing to the pipe then fails.
    while stdin.write_all(b"{\"id\": 1, \"text\": \"x\"}\n").is_ok() {}
    assert_eq!(session.finish(), (Some(4), String::new()));
}
