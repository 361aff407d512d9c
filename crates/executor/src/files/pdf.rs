//! The text of a PDF, for models that take no PDFs.
//!
//! A PDF is a program that somebody else wrote, and its readers are not made for hostile ones. So it is read by a process of its own,
//! with a limit of time, output and memory: what it does to itself, it does to nobody else.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;
use tokio_util::sync::CancellationToken;

use crate::child::{self, Capture, ChildEnd, Overflow, Plan};

/// The command of the binary that reads a PDF from stdin and writes its text to stdout.
pub const PDF_READER: &str = "read-pdf";

/// A document of a thousand pages takes a few seconds.
const LONGEST: Duration = Duration::from_secs(30);

/// More text than the context of any model holds.
const MOST_TEXT_BYTES: usize = 4 * 1024 * 1024;

/// What the reader says of a PDF that it cannot read.
const MOST_ERROR_BYTES: usize = 4 * 1024;

/// The largest documents take a tenth of this.
#[cfg(target_os = "linux")]
const MOST_MEMORY_BYTES: u64 = 512 * 1024 * 1024;

/// How often the memory is looked at.
#[cfg(target_os = "linux")]
const LOOK_EVERY: Duration = Duration::from_millis(20);

const ENCRYPTED: &str = "it is encrypted; remove its password and send it again";

/// The program that reads PDFs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfReader {
    pub program: PathBuf,
    pub arguments: Vec<String>,
}

/// The text of a PDF, or why there is none, in words for the user.
pub(crate) async fn text(
    reader: &PdfReader,
    name: &str,
    content: &[u8],
    cancel: &CancellationToken,
) -> Result<String, String> {
    let mut command = Command::new(&reader.program);
    command.args(&reader.arguments).env_clear().stdin(Stdio::piped());
    let plan = Plan {
        command,
        input: Some(content.to_vec()),
        stdout: Capture::new(MOST_TEXT_BYTES, 0),
        stderr: Capture::new(MOST_ERROR_BYTES, 0),
        heard: None,
        overflow: Overflow::Kill,
        timeout: LONGEST,
        sandbox: None,
    };
    let finished = child::run(plan, cancel).await;
    let finished = finished.map_err(|error| format!("the PDF reader could not be started: {error}"))?;
    let failed = |why: &str| format!("the PDF '{name}' has no readable text: {why}");
    match finished.end {
        ChildEnd::Exited(status) if status.success() => {
            let text = String::from_utf8_lossy(&finished.stdout.into_bytes()).into_owned();
            match text.trim().is_empty() {
                true => Err(failed(
                    "it contains only images; use a model that takes PDFs, or send its pages as images",
                )),
                false => Ok(text),
            }
        }
        ChildEnd::Exited(status) => {
            let said = String::from_utf8_lossy(&finished.stderr.into_bytes()).into_owned();
            let why = match (status.code(), said.lines().next_back()) {
                (Some(1), Some(line)) => line.trim_start_matches("error: ").to_owned(),
                _ => "it is damaged, or takes too much memory to read".to_owned(),
            };
            Err(failed(&why))
        }
        ChildEnd::TimedOut => {
            Err(failed(&format!("reading it took longer than {} seconds", LONGEST.as_secs())))
        }
        ChildEnd::OutputTooLarge => Err(failed(&format!("it has more than {MOST_TEXT_BYTES} bytes of text"))),
        ChildEnd::Stopped => Err("stopped".to_owned()),
    }
}

/// The same, in this process. Only for a process that does nothing else, because a hostile PDF may end it.
pub fn read_pdf(content: &[u8]) -> Result<String, String> {
    #[cfg(target_os = "linux")]
    limit_memory();
    let mut document =
        pdf_extract::Document::load_mem(content).map_err(|error| unreadable(&error.to_string()))?;
    // Many are encrypted without a password, only so that programs forbid printing.
    if document.is_encrypted() && document.decrypt("").is_err() {
        return Err(ENCRYPTED.to_owned());
    }
    let mut text = String::new();
    let mut output = pdf_extract::PlainTextOutput::new(&mut text);
    pdf_extract::output_doc(&document, &mut output).map_err(|error| unreadable(&error.to_string()))?;
    Ok(text)
}

fn unreadable(error: &str) -> String {
    match error.to_lowercase() {
        // One whose password is not empty cannot even be opened.
        error if error.contains("password") || error.contains("crypt") => ENCRYPTED.to_owned(),
        _ => format!("it is damaged ({error})"),
    }
}

/// Ends this process when it takes too much memory. A limit of the kernel would count what the allocator has only reserved.
#[cfg(target_os = "linux")]
fn limit_memory() {
    let page = rustix::param::page_size() as u64;
    let resident = move || -> Option<u64> {
        let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
        Some(statm.split(' ').nth(1)?.parse::<u64>().ok()? * page)
    };
    std::thread::spawn(move || {
        while resident().is_none_or(|bytes| bytes < MOST_MEMORY_BYTES) {
            std::thread::sleep(LOOK_EVERY);
        }
        std::process::abort();
    });
}
