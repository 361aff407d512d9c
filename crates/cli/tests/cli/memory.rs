//! Streams of any length are validated in bounded memory.

#![cfg(target_os = "linux")]

use std::io::Write as _;
use std::thread;

use serde_json::{Value, json};

use crate::support::Folder;

/// More than the unoptimised binary needs and its allocator keeps, and less than the streams
/// contain.
const MAX_KIBIBYTES: u64 = 96 * 1024;

#[test]
fn many_lines_need_bounded_memory() {
    const LINES: usize = 7_000;
    let folder = Folder::with(&[("schema.json", r#"{"type": "object", "required": ["n"]}"#)]);
    let mut session = folder.start(&["check", "--jsonl", "--schema", "schema.json"]);
    let mut stdin = session.take_stdin();
    let writer = thread::spawn(move || {
        for index in 0..LINES {
            let text = json!({"n": index, "padding": "x".repeat(15_000)}).to_string();
            writeln!(stdin, "{}", json!({"id": index, "text": text})).unwrap();
        }
        stdin
    });
    for index in 0..LINES {
        let reply: Value = serde_json::from_str(&session.receive()).unwrap();
        assert_eq!((&reply["id"], &reply["value"]["n"]), (&json!(index), &json!(index)));
    }
    let stdin = writer.join().unwrap();
    let peak = session.peak_memory();
    drop(stdin);
    assert_eq!(session.finish(), (Some(0), String::new()));
    assert!(peak < MAX_KIBIBYTES, "{peak} KiB at the peak, for {} KiB of input", LINES * 15);
}

#[test]
fn an_endless_line_needs_bounded_memory() {
    let folder = Folder::with(&[("schema.json", "true")]);
    let mut session = folder.start(&["check", "--jsonl", "--schema", "schema.json"]);
    let mut stdin = session.take_stdin();
    let writer = thread::spawn(move || {
        let piece = vec![b'x'; 1024 * 1024];
        for _ in 0..128 {
            stdin.write_all(&piece).unwrap();
        }
        stdin.write_all(b"\n{\"id\": \"next\", \"text\": \"7\"}\n").unwrap();
        stdin
    });
    let reply: Value = serde_json::from_str(&session.receive()).unwrap();
    assert_eq!(
        reply["errors"],
        json!([{"path": "$", "pointer": "", "keyword": "input", "message": "line 1 is longer than 16777216 bytes"}])
    );
    let reply: Value = serde_json::from_str(&session.receive()).unwrap();
    assert_eq!((&reply["id"], &reply["value"]), (&json!("next"), &json!(7)));
    let stdin = writer.join().unwrap();
    let peak = session.peak_memory();
    drop(stdin);
    assert_eq!(session.finish().0, Some(1));
    assert!(peak < MAX_KIBIBYTES, "{peak} KiB at the peak, for a line of 128 MiB");
}
