//! A child that communicates in lines.
//!
//! One task writes, one reads lines, one keeps the end of stderr: none of them waits for another, so a child that stops
//! reading, or writes while it is written to, blocks nothing. Lines wait in a bounded channel; a line that is longer than
//! the limit ends the conversation, because the next line could not be told from its rest.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{ChildStdin, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::capture::Capture;
use super::group::Group;
use super::{GRACE, READ_BYTES};

/// Lines that wait to be read. Enough to keep the child busy, few enough to keep memory small where lines are long.
const WAITING_LINES: usize = 16;

/// Lines that wait to be written. Both sides take turns, so more than a few means that the child does not listen.
const WAITING_WORDS: usize = 16;

/// How much of stderr is kept: the last lines say why.
const STDERR_BYTES: usize = 4 * 1024;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ChildOutput {
    Line(String),
    Garbage,
    /// A line longer than allowed. No output follows.
    TooLong,
    /// Its stdout is closed; with the unfinished last line.
    Closed {
        /// The piece of a line without an end.
        unfinished: String,
    },
}

impl ChildOutput {
    const SILENCE: Self = Self::Closed { unfinished: String::new() };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGINT.
    Interrupt = 2,
    /// As if the system went down.
    Terminate = 15,
}

/// A running child, its whole group, and the pipes to it. Dropping it kills the group.
pub(crate) struct Live {
    group: Group,
    words: Option<mpsc::Sender<String>>,
    output: mpsc::Receiver<ChildOutput>,
    stderr: Stderr,
    keeping: Option<JoinHandle<()>>,
    tasks: Vec<JoinHandle<()>>,
    over: bool,
}

impl Live {
    /// Starts a child. Lines of more than `longest_line` bytes end the conversation.
    pub(crate) async fn spawn(mut command: Command, longest_line: usize) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut group = Group::spawn(command).await?;
        let pipes = group.pipes();
        let (words, to_write) = mpsc::channel(WAITING_WORDS);
        let (telling, output) = mpsc::channel(WAITING_LINES);
        let stderr = Stderr(Arc::new(Mutex::new(Capture::new(0, STDERR_BYTES))));
        let mut tasks = Vec::new();
        if let Some(pipe) = pipes.stdin {
            tasks.push(tokio::spawn(write(pipe, to_write)));
        }
        if let Some(pipe) = pipes.stdout {
            tasks.push(tokio::spawn(read(pipe, longest_line, telling)));
        }
        let keeping = pipes.stderr.map(|pipe| tokio::spawn(keep(pipe, stderr.clone())));
        Ok(Self { group, words: Some(words), output, stderr, keeping, tasks, over: false })
    }

    /// Sends one line. An error means that the child does not read any more; its next output says why.
    pub(crate) async fn send_line(&self, line: String) -> Result<(), StdinClosed> {
        match &self.words {
            Some(words) => words.send(line).await.map_err(|_| StdinClosed),
            None => Err(StdinClosed),
        }
    }

    /// Closes its stdin after the lines that were sent.
    pub(crate) fn hush(&mut self) {
        self.words = None;
    }

    /// What it says next. Waits as long as it takes: put a time-out and a cancel around it. Nothing is lost when this
    /// is dropped half-way. What it leaves behind when it exits may hold its stdout open, and is killed for that after
    /// a moment.
    pub(crate) async fn next_output(&mut self) -> ChildOutput {
        if !self.over {
            tokio::select! {
                biased;
                output = self.output.recv() => return output.unwrap_or(ChildOutput::SILENCE),
                _ = self.group.leader_exit() => self.over = true,
            }
        }
        if let Ok(output) = timeout(GRACE, self.output.recv()).await {
            return output.unwrap_or(ChildOutput::SILENCE);
        }
        self.group.kill();
        timeout(GRACE, self.output.recv()).await.ok().flatten().unwrap_or(ChildOutput::SILENCE)
    }

    /// Sends a signal to the whole group.
    pub(crate) fn signal(&self, signal: Signal) {
        self.group.signal(signal as i32);
    }

    /// The way to its stdin, which closes when it is not held any more; none once it is closed.
    pub(crate) fn stdin(&self) -> Option<mpsc::Sender<String>> {
        self.words.clone()
    }

    /// The end of what it wrote to stderr so far.
    pub(crate) fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// The same, to be read when the child is no longer there.
    pub(crate) fn stderr_handle(&self) -> Stderr {
        self.stderr.clone()
    }

    /// Waits for its exit, for so long; none where it still runs then, or cannot be waited for.
    pub(crate) async fn exit(&mut self, patience: Duration) -> Option<ExitStatus> {
        timeout(patience, self.group.leader_exit()).await.ok()?.ok()
    }

    /// Why it ended, once it has closed its stdout: how it exited, none where it still runs after so long, and the end of
    /// stderr.
    pub(crate) async fn last_words(&mut self, patience: Duration) -> (Option<ExitStatus>, String) {
        let status = self.exit(patience).await;
        if let Some(mut keeping) = self.keeping.take() {
            timeout(GRACE, &mut keeping).await.ok();
            keeping.abort();
        }
        (status, self.stderr())
    }

    /// Ends it: closes its stdin and waits for it, then asks it to terminate and waits again, then kills the group.
    /// How it ended, where it did so by itself.
    pub(crate) async fn end(mut self, patience: Duration) -> Option<ExitStatus> {
        self.hush();
        // Reading goes on, because a child blocks if its output is not read.
        self.output.close();
        let mut status = self.exit(patience).await;
        if status.is_none() {
            self.signal(Signal::Terminate);
            status = self.exit(patience).await;
        }
        self.kill().await;
        status
    }

    pub(crate) async fn kill(mut self) {
        self.group.kill();
        for task in self.tasks.iter_mut().chain(&mut self.keeping) {
            timeout(GRACE, &mut *task).await.ok();
            task.abort();
        }
        self.group.end().await;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StdinClosed;

/// The end of what a child writes to stderr.
#[derive(Clone)]
pub(crate) struct Stderr(Arc<Mutex<Capture>>);

impl Stderr {
    pub(crate) fn text(&self) -> String {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let capture = std::mem::replace(&mut *kept, Capture::new(0, STDERR_BYTES));
        let text = capture.text(|_| "…".to_owned());
        kept.push(text.as_bytes());
        text.trim().to_owned()
    }
}

async fn write(mut pipe: ChildStdin, mut words: mpsc::Receiver<String>) {
    while let Some(mut line) = words.recv().await {
        line.push('\n');
        if pipe.write_all(line.as_bytes()).await.is_err() || pipe.flush().await.is_err() {
            return;
        }
    }
    pipe.shutdown().await.ok();
}

/// Reads lines to the end, even if they are not used any more: the child must not block.
async fn read(pipe: impl AsyncRead + Unpin, longest_line: usize, telling: mpsc::Sender<ChildOutput>) {
    let mut reader = BufReader::with_capacity(READ_BYTES, pipe);
    let mut line = Vec::new();
    let limit = longest_line as u64 + 1;
    loop {
        line.clear();
        let count = (&mut reader).take(limit).read_until(b'\n', &mut line).await.unwrap_or(0);
        let is_whole = line.pop_if(|last| *last == b'\n').is_some();
        let output = match (count, is_whole) {
            (0, _) => ChildOutput::Closed { unfinished: String::new() },
            (_, false) if line.len() > longest_line => ChildOutput::TooLong,
            (_, false) => ChildOutput::Closed { unfinished: String::from_utf8_lossy(&line).into_owned() },
            (_, true) => {
                line.pop_if(|last| *last == b'\r');
                String::from_utf8(line.clone()).map_or(ChildOutput::Garbage, ChildOutput::Line)
            }
        };
        let is_last = matches!(output, ChildOutput::Closed { .. } | ChildOutput::TooLong);
        if telling.send(output).await.is_err() || is_last {
            break;
        }
    }
    tokio::io::copy(&mut reader, &mut tokio::io::sink()).await.ok();
}

async fn keep(mut pipe: impl AsyncRead + Unpin, stderr: Stderr) {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let count = pipe.read(&mut buffer).await.unwrap_or(0);
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { return };
        stderr.0.lock().unwrap_or_else(PoisonError::into_inner).push(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(5);

    async fn shell(script: &str) -> Live {
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        Live::spawn(command, 100).await.unwrap()
    }

    fn line(text: &str) -> ChildOutput {
        ChildOutput::Line(text.to_owned())
    }

    fn closed(unfinished: &str) -> ChildOutput {
        ChildOutput::Closed { unfinished: unfinished.to_owned() }
    }

    #[tokio::test]
    async fn lines_go_both_ways() {
        let mut cat = shell("cat").await;
        cat.send_line("one".to_owned()).await.unwrap();
        assert_eq!(cat.next_output().await, line("one"));
        cat.send_line("zwei ✓".to_owned()).await.unwrap();
        assert_eq!(cat.next_output().await, line("zwei ✓"));
        assert!(cat.end(SOON).await.is_some_and(|status| status.success()));
    }

    #[tokio::test]
    async fn distinguishes_invalid_lines() {
        let mut child = shell(r"printf 'a\r\n\377\n\nhalf'; echo why >&2").await;
        assert_eq!(child.next_output().await, line("a"));
        assert_eq!(child.next_output().await, ChildOutput::Garbage);
        assert_eq!(child.next_output().await, line(""));
        assert_eq!(child.next_output().await, closed("half"));
        assert_eq!(child.next_output().await, closed(""));
        child.exit(SOON).await.unwrap();
        assert_eq!((child.stderr(), child.stderr()), ("why".to_owned(), "why".to_owned()));
    }

    #[tokio::test]
    async fn a_line_without_end_ends_the_conversation_but_not_the_reading() {
        let mut child = shell("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo late; exit 7").await;
        assert_eq!(child.next_output().await, ChildOutput::TooLong);
        assert_eq!(child.next_output().await, closed(""));
        assert_eq!(child.exit(SOON).await.and_then(|status| status.code()), Some(7));
    }

    #[tokio::test]
    async fn background_processes_do_not_hold_the_output() {
        let mut child = shell("sleep 1000 & echo one; printf half; echo why >&2; exit 3").await;
        assert_eq!((child.next_output().await, child.next_output().await), (line("one"), closed("half")));
        let (status, stderr) = child.last_words(SOON).await;
        assert_eq!((status.and_then(|status| status.code()), stderr.as_str()), (Some(3), "why"));
    }

    #[tokio::test]
    async fn the_longest_line_is_still_a_line() {
        let mut child = shell("head -c 100 /dev/zero | tr '\\0' x; echo").await;
        assert_eq!(child.next_output().await, line(&"x".repeat(100)));
    }

    #[tokio::test]
    async fn a_child_that_does_not_read_does_not_block() {
        let mut child = shell("exec 0<&-; while true; do echo y; done").await;
        assert_eq!(child.next_output().await, line("y"));
        child.send_line("x".repeat(1 << 20)).await.unwrap();
        child.end(Duration::from_millis(10)).await;
    }

    #[tokio::test]
    async fn a_process_that_does_not_end_is_killed_with_its_children() {
        let mut child = shell("trap '' TERM; sleep 1000 & echo $!; while true; do wait; done").await;
        let ChildOutput::Line(grandchild) = child.next_output().await else { panic!("no process id") };
        assert_eq!(child.end(Duration::from_millis(50)).await, None);
        // What is killed is not dead at once.
        let runs = || {
            let stat = std::fs::read_to_string(format!("/proc/{grandchild}/stat"));
            stat.is_ok_and(|stat| !stat.contains(") Z ") && !stat.contains(") X "))
        };
        let mut ticks = tokio::time::interval(Duration::from_millis(5));
        let gone = async {
            while runs() {
                ticks.tick().await;
            }
        };
        timeout(SOON, gone).await.unwrap();
    }
}
