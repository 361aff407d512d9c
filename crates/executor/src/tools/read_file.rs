//! `read_file`: lines of a text file, numbered.

use serde::Deserialize;
use serde_json::{Value, json};

use super::folder::{Folder, Refusal, refusal};
use super::lines::Lines;
use super::pace::Pace;

/// Lines in one answer. What a model asks for a second time costs less than what it never needed.
const MAX_LINES: u64 = 2000;

/// Bytes in one answer: some sixteen thousand tokens, so that a file does not push the task out of a small context.
const MAX_OUTPUT_BYTES: usize = 64 * 1024;

/// Bytes of one line. Longer ones are data in one line, and their beginning shows what they are.
const MAX_LINE_BYTES: usize = 8 * 1024;

/// How far into a file a call reads. Lines are found by reading all before them.
const MAX_SCAN_BYTES: u64 = 256 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    path: String,
    offset: Option<u64>,
    limit: Option<u64>,
}

pub(super) fn spec() -> (String, Value) {
    let description = format!(
        "Reads a text file of the project folder. Each line is prefixed with its number and a tab. Returns at most {MAX_LINES} lines or {} KiB; a note at the end says how to continue.",
        MAX_OUTPUT_BYTES / 1024
    );
    let properties = json!({
        "path": {"type": "string", "description": "The file, relative to the project folder"},
        "offset": {"type": ["integer", "null"], "description": "The first line to read, counted from 1; null for 1"},
        "limit": {"type": ["integer", "null"], "description": "How many lines to read; null for as many as fit"},
    });
    (description, properties)
}

pub(super) fn run(folder: &Folder, arguments: Arguments, pace: &Pace) -> Result<String, Refusal> {
    let Arguments { path, offset, limit } = arguments;
    let first = offset.unwrap_or(1).max(1);
    let last = first.saturating_add(limit.unwrap_or(MAX_LINES).clamp(1, MAX_LINES) - 1);
    let open = folder.find_file(&path)?;
    let bytes = open.bytes;
    let mut lines = Lines::new(open.file, MAX_LINE_BYTES);
    let failed = |error| refusal(&path, &error);
    if lines.is_binary().map_err(failed)? {
        return Err(Refusal(format!("'{path}' is a binary file of {bytes} bytes and is not shown")));
    }
    let mut output = String::new();
    let (mut number, mut scanned) = (0, 0);
    while let Some(line) = lines.next(MAX_SCAN_BYTES - scanned).map_err(failed)? {
        number += 1;
        scanned += line.bytes.len() as u64 + line.cut + 1;
        if number > last || output.len() >= MAX_OUTPUT_BYTES {
            output.push_str(&format!("\n[more lines follow: continue with offset {number}]"));
            return Ok(output);
        }
        if number >= first {
            append(&mut output, number, &line.bytes, line.cut);
        }
        if scanned >= MAX_SCAN_BYTES || pace.is_over() {
            return too_large(output, &path, bytes);
        }
    }
    match number {
        0 => Ok("[the file is empty]".to_owned()),
        _ if number < first => Err(Refusal(format!(
            "'{path}' has {number} lines, so there is no line {first}; use a smaller offset"
        ))),
        _ => Ok(output),
    }
}

fn too_large(mut output: String, path: &str, bytes: u64) -> Result<String, Refusal> {
    let note = format!("'{path}' has {bytes} bytes and is too large to read further");
    if output.is_empty() {
        return Err(Refusal(note));
    }
    output.push_str(&format!("\n[{note}]"));
    Ok(output)
}

fn append(output: &mut String, number: u64, bytes: &[u8], cut: u64) {
    if !output.is_empty() {
        output.push('\n');
    }
    output.push_str(&format!("{number}\t{}", String::from_utf8_lossy(bytes)));
    if cut > 0 {
        output.push_str(&format!(
            " [{cut} bytes more in this line; search_files shows the part around a match]"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &[u8], offset: Option<u64>, limit: Option<u64>) -> Result<String, String> {
        let project = tempfile::tempdir().unwrap();
        std::fs::write(project.path().join("a"), content).unwrap();
        let folder = Folder::open(project.path()).unwrap();
        let arguments = Arguments { path: "a".to_owned(), offset, limit };
        run(&folder, arguments, &Pace::endless()).map_err(|refusal| refusal.0)
    }

    #[test]
    fn lines_are_numbered_and_read_in_parts() {
        let text = b"one\ntwo\r\nthree";
        assert_eq!(read(text, None, None).unwrap(), "1\tone\n2\ttwo\n3\tthree");
        let part = "1\tone\n2\ttwo\n[more lines follow: continue with offset 3]";
        assert_eq!(read(text, Some(0), Some(2)).unwrap(), part);
        assert_eq!(read(text, Some(3), None).unwrap(), "3\tthree");
        assert_eq!(
            read(text, Some(4), None).unwrap_err(),
            "'a' has 3 lines, so there is no line 4; use a smaller offset"
        );
        assert_eq!(read(b"", None, None).unwrap(), "[the file is empty]");
    }

    #[test]
    fn long_files_and_lines_are_cut_with_a_way_to_go_on() {
        let text = "x\n".repeat(5000);
        let output = read(text.as_bytes(), None, Some(u64::MAX)).unwrap();
        assert_eq!(output.lines().last(), Some("[more lines follow: continue with offset 2001]"));
        let line = read(&[b'x'; 100_000], None, None).unwrap();
        let note = " [91808 bytes more in this line; search_files shows the part around a match]";
        assert_eq!(line, format!("1\t{}{note}", "x".repeat(8192)));
        let wide = format!("{}\n", "y".repeat(8000)).repeat(20);
        let output = read(wide.as_bytes(), None, None).unwrap();
        assert_eq!(output.lines().last(), Some("[more lines follow: continue with offset 10]"));
    }

    #[test]
    fn marks_content_that_is_not_text() {
        assert_eq!(
            read(b"\x7fELF\0\0", None, None).unwrap_err(),
            "'a' is a binary file of 6 bytes and is not shown"
        );
        assert_eq!(read(b"caf\xe9", None, None).unwrap(), "1\tcaf\u{fffd}");
    }
}
