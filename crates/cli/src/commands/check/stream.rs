//! `--jsonl`: judging a stream of requests, in order and in constant memory.

use std::io;
use std::num::NonZero;
use std::ops::AddAssign;
use std::thread;

use accord_contract::{Answer, Contract, Invariants, JsonPath, Options, Schema, Verdict, Violation, judge};
use serde::Serialize;
use serde_json::value::RawValue;

use super::Arguments;
use super::cache::Cache;
use super::request::Request;
use super::view::View;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::lines::{Content, Line, Lines, MAX_LINE_BYTES};
use crate::meter::meter;
use crate::output;

/// The options that apply to all lines.
struct Judge {
    schema: Option<Schema>,
    invariants: Invariants,
    options: Options,
    cache: Cache,
}

/// How many lines ended how.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    valid: u64,
    invalid: u64,
    unreadable: u64,
}

/// One line of output. The order of the names is API.
#[derive(Serialize)]
struct Reply<'a> {
    id: Option<&'a RawValue>,
    #[serde(flatten)]
    view: View<'a>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let judge = Judge {
        schema: arguments.compile_schema()?,
        invariants: arguments.compile_invariants()?,
        options: arguments.options(),
        cache: Cache::default(),
    };
    let input = arguments.text();
    let mut lines = Lines::new(input.open()?, MAX_LINE_BYTES);
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let mut tally = Tally::default();
    loop {
        let batch = lines.batch().map_err(|error| input.unreadable(&error))?;
        if batch.is_empty() {
            break;
        }
        for (bytes, part) in judge.judge_batch(&batch, workers)? {
            tally += part;
            output::data(&bytes)?;
            output::still_read()?;
        }
    }
    Ok(tally.exit())
}

impl Judge {
    /// Judges a batch with some workers; the results come in the order of the lines.
    fn judge_batch(&self, batch: &[Line], workers: usize) -> io::Result<Vec<(Vec<u8>, Tally)>> {
        let size = batch.len().div_ceil(workers).max(1);
        if batch.len() <= size {
            return Ok(vec![self.judge_lines(batch)?]);
        }
        thread::scope(|scope| {
            let started: Vec<_> =
                batch.chunks(size).map(|chunk| scope.spawn(|| self.judge_lines(chunk))).collect();
            let join = |worker: thread::ScopedJoinHandle<'_, _>| {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            started.into_iter().map(join).collect()
        })
    }

    fn judge_lines(&self, lines: &[Line]) -> io::Result<(Vec<u8>, Tally)> {
        let mut replies = Vec::new();
        let mut tally = Tally::default();
        for line in lines {
            tally += self.judge_line(line, &mut replies)?;
            replies.push(b'\n');
        }
        Ok((replies, tally))
    }

    fn judge_line(&self, line: &Line, replies: &mut Vec<u8>) -> io::Result<Tally> {
        let unreadable = |id: Option<&RawValue>, keyword: &str, message: String, replies: &mut Vec<u8>| {
            let error = Violation::new(&JsonPath::root(), keyword, message);
            serde_json::to_writer(replies, &Reply { id, view: View::unreadable(&error) })?;
            Ok(Tally { unreadable: 1, ..Tally::default() })
        };
        let number = line.number;
        let bytes = match &line.content {
            Content::Whole(bytes) => bytes,
            Content::TooLong => {
                let message = format!("line {number} is longer than {MAX_LINE_BYTES} bytes");
                return unreadable(None, "input", message, replies);
            }
        };
        let request = match Request::parse(bytes) {
            Ok(request) => request,
            Err(malformed) => {
                let message = format!("line {number} {}", malformed.message);
                return unreadable(malformed.id, "input", message, replies);
            }
        };
        let schema = match self.schema_of(&request) {
            Ok(schema) => schema,
            Err(reason) => {
                let message = format!("line {number}: {reason}");
                return unreadable(request.id, "schema", message, replies);
            }
        };
        let options = Options { mode: request.mode.unwrap_or(self.options.mode), ..self.options };
        let contract = Contract::new(schema).with_options(options).with_invariants(self.invariants.clone());
        let verdict = judge(&Answer::text(&request.text), &contract, &meter());
        serde_json::to_writer(replies, &Reply { id: request.id, view: View::from(&verdict) })?;
        Ok(match verdict {
            Verdict::Accepted(_) => Tally { valid: 1, ..Tally::default() },
            Verdict::Rejected(_) => Tally { invalid: 1, ..Tally::default() },
        })
    }

    fn schema_of(&self, request: &Request<'_>) -> Result<Schema, String> {
        match (request.schema, &self.schema) {
            (Some(written), _) => {
                self.cache.get(written.get()).map_err(|reason| format!("the schema cannot be used: {reason}"))
            }
            (None, Some(schema)) => Ok(schema.clone()),
            (None, None) => Err("there is no schema; give 'schema' in the line or --schema".to_owned()),
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.valid += other.valid;
        self.invalid += other.invalid;
        self.unreadable += other.unreadable;
    }
}

impl Tally {
    fn exit(self) -> Exit {
        if self.unreadable > 0 {
            let total = self.valid + self.invalid + self.unreadable;
            Problem::new(format!("{} of {total} lines could not be used as requests", self.unreadable))
                .hint("their output lines have the keyword 'input' or 'schema' and say why")
                .print();
            return Exit::Usage;
        }
        if self.invalid > 0 { Exit::ContractNotMet } else { Exit::Success }
    }
}
