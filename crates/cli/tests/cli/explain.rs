//! `accord check --explain`.

use serde_json::{Value, json};

use crate::support::Folder;

const SCHEMA: &str = r#"{
  "type": "object",
  "required": ["severity"],
  "properties": {"severity": {"enum": ["low", "high"]}, "tags": {"type": "array"}}
}
"#;

const DAMAGED: &str =
    "<think>{}</think>Here:\n```json\n{\n\t'severity': \"low\", // sure\n  \"tags\": [\"x\",]\n}\n```\n";

fn folder() -> Folder {
    Folder::with(&[("schema.json", SCHEMA), ("answer.txt", DAMAGED)])
}

const LENIENT: [&str; 7] =
    ["check", "--schema", "schema.json", "--mode", "lenient", "--explain", "answer.txt"];

#[test]
fn without_colours_marks_below_the_text_label_it() {
    let ran = folder().run(&LENIENT, "");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let (drawing, report) = ran.stdout.split_once("\n\n").unwrap();
    insta::assert_snapshot!(drawing, @r#"
    1 | <think>{}</think>Here:
      | rrrrrrrrrrrrrrrrrppppp
    2 | ```json
      | fffffff
    3 | {
      | s
    4 |     'severity': "low", // sure
      | ....svvvvvvvvss.svvvss.ccccccc
    5 |   "tags": ["x",]
      | ..svvvvss.ssvs^s
    6 | }
      | s
    7 | ```
      | fff
    bytes: v value 16, s structure 15, . space 12, c comment 7, ^ repair 1, p prose 6, f fence 10, r reasoning 17
    "#);
    for place in [
        "[quotes]: answer.txt:4:2 at $: ",
        "[comment]: answer.txt:4:21 at $: ",
        "[extra_comma]: answer.txt:5:15 at $.tags[1]: ",
    ] {
        assert!(report.contains(&format!("repaired{place}")), "{report}");
    }
}

#[test]
fn a_rejected_text_is_explained_too() {
    let folder = folder();
    folder.write("answer.txt", b"It is {\"severity\": \"dire\"}.");
    let ran = folder.run(&["check", "--schema", "schema.json", "--explain", "answer.txt"], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(2), ""));
    let drawing = "1 | It is {\"severity\": \"dire\"}.\n  | ppppppxxxxxxxxxxxxxxxxxxxxp\nbytes: p prose 7, x refused 20\n\nerror[enum]: ";
    assert!(ran.stdout.starts_with(drawing), "{}", ran.stdout);
    assert!(ran.stdout.contains(" --> answer.txt:1:20 at $.severity\n"), "{}", ran.stdout);
    folder.write("answer.txt", b"{\"severity\": \"low\" denied}");
    let ran = folder.run(&["check", "--schema", "schema.json", "--explain", "answer.txt"], "");
    assert!(ran.stdout.starts_with("1 | {\"severity\": \"low\" denied}\n  | xxxx"), "{}", ran.stdout);
    assert!(ran.stdout.contains(" --> answer.txt:1:20\n"), "{}", ran.stdout);
    folder.write("answer.txt", b"");
    let ran = folder.run(&["check", "--schema", "schema.json", "--explain", "answer.txt"], "");
    assert!(ran.stdout.starts_with("1 | \nbytes: none\n\nerror[json]: "), "{}", ran.stdout);
}

#[test]
fn colours_replace_marks() {
    let coloured = folder().run_with(&LENIENT, "", &[("CLICOLOR_FORCE", "1")]).stdout;
    assert!(coloured.contains("\u{1b}[32mseverity\u{1b}["), "{coloured}");
    assert!(!coloured.contains("vvvv"), "{coloured}");
    let plain = folder().run_with(&LENIENT, "", &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]).stdout;
    assert!(plain.contains("vvvv") && !plain.contains('\u{1b}'), "{plain}");
}

#[test]
fn with_json_the_spans_are_data() {
    let folder = folder();
    let ran = folder.run(&[&LENIENT[..], &["--json"]].concat(), "");
    let view = ran.json();
    assert_eq!((ran.code, &view["value"]), (Some(0), &json!({"severity": "low", "tags": ["x"]})));
    let spans = view["account"].as_array().unwrap();
    let mut at = 0;
    for span in spans {
        assert_eq!(span["start"], json!(at), "{span}");
        at = span["end"].as_u64().unwrap();
    }
    assert_eq!(at, DAMAGED.len() as u64);
    let comma =
        json!({"start": 75, "end": 76, "line": 5, "column": 15, "kind": "repair", "repair": "extra_comma"});
    assert!(spans.contains(&comma), "{spans:?}");
    let reasoning = json!({"start": 0, "end": 17, "line": 1, "column": 1, "kind": "reasoning"});
    assert_eq!(spans.first(), Some(&reasoning));

    let ran = folder.run(&["check", "--schema", "schema.json", "--explain", "--json"], "no {");
    let kinds: Vec<Value> =
        ran.json()["account"].as_array().unwrap().iter().map(|span| span["kind"].clone()).collect();
    assert_eq!((ran.code, kinds), (Some(2), vec![json!("prose")]));
    let ran = folder.run(&["check", "--schema", "schema.json", "--json"], "{\"severity\": \"low\"}");
    assert_eq!(ran.json().get("account"), None);
}

#[test]
fn control_characters_are_escaped_in_explanations() {
    let text = "\u{1b}c\u{202e}{\"severity\": \"low\", \"a\": \"\u{9b}2J\"}\r\n";
    let ran =
        folder().run_with(&["check", "--schema", "schema.json", "--explain"], text, &[("NO_COLOR", "1")]);
    assert_eq!(ran.code, Some(0));
    assert!(!ran.stdout.contains(['\u{1b}', '\u{202e}', '\u{9b}', '\r']), "{}", ran.stdout);
}

#[test]
fn a_long_text_is_folded_around_its_repairs() {
    let many = vec!["\"x\""; 300_000].join(",");
    let text =
        format!("{{\"tags\": [{many},], 'severity': \"low\",\n\"more\": [\n{}\n1]}}", "1,\n".repeat(5000));
    let ran =
        folder().run(&["check", "--schema", "schema.json", "--mode", "lenient", "--explain"], text.as_str());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let (drawing, _) = ran.stdout.split_once("\nvalid").unwrap();
    let lines: Vec<&str> = drawing.lines().collect();
    assert!(lines.len() < 100, "{}", lines.len());
    assert!(lines.iter().all(|line| line.chars().count() <= 110));
    assert_eq!(lines.iter().filter(|line| line.contains("bytes not shown; --json has all spans")).count(), 2);
    assert!(drawing.contains("'severity'"), "{drawing}");
}

#[test]
fn explain_and_jsonl_exclude_each_other() {
    let ran = folder().run(&["check", "--jsonl", "--explain"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""));
}
