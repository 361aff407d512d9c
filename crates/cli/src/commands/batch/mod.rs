//! `accord batch`: one agent over many inputs.
//!
//! Every row is checked before the first is run, results come in the order of the rows, and
//! finished rows are not run again when the same command is repeated. The coordinator's store knows
//! which rows are finished; the command itself keeps no state.

mod inputs;
mod item;
mod record;
mod reorder;
mod start;

use std::path::PathBuf;
use std::sync::Arc;

use accord_api::{CreateRun, RunQuery};
use accord_client::Client;
use accord_contract::Schema;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use indicatif::ProgressBar;
use owo_colors::OwoColorize as _;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::inputs::{Inputs, Row, Rows};
use self::item::{Asking, Identity, ItemOutcome, Occurrences};
use self::record::{Done, Sink, Status, Tally};
use self::reorder::ReorderBuffer;
use self::start::{Outage, Start};
use crate::config::Flag;
use crate::connection::ConnectionArguments;
use crate::exit::Exit;
use crate::failure::{Failure, Problem};
use crate::follow::{STOP_PATIENCE, until};
use crate::meter::meter;
use crate::own_coordinator::{self, Lasting};
use crate::view::text;
use crate::{output, progress, runtime};

/// How many failures are named at the end.
const NAMED: usize = 5;

/// Run an agent over many inputs
#[derive(Debug, clap::Args)]
#[command(after_help = "\
INPUTS has one JSON object with the agent's parameters per line. All lines are checked before the
first one is run. Results are written in the order of the inputs, one JSON object per line: line,
input, status, result_text, result_data, error, run_id, session_id, attempts and usage. Uses the
coordinator that runs for this project, or starts a temporary one.

To continue after an interruption (Ctrl-C, kill -9, a lost connection), run the same command again:
inputs that are finished are not run again, their results are read from the database and --output is
written anew. An input is recognized for 7 days by the agent's definition, its parameters, --model,
--priority and --name; inputs that failed are only run again with --retry-failed.

If the first inputs all fail for the same reason, for example a model that is away or a rejected
key, the others are not run, unless --keep-going is given.

Exit codes: 0 all completed, 1 usage error or invalid input, 2 at least one input failed, 3 the
coordinator failed, 4 interrupted.

Examples:
  accord batch ticket-triage tickets.jsonl --output results.jsonl
  accord batch ticket-triage tickets.jsonl --output results.jsonl --retry-failed
  jq -c '{ticket: .body}' export.json | accord batch ticket-triage - | jq -c .result_data
  accord batch word-count texts.jsonl --concurrency 32 --name second-try --failures failed.jsonl")]
pub(crate) struct Arguments {
    #[command(flatten)]
    connection: ConnectionArguments,
    /// Agent name
    #[arg(add = crate::candidates::agents())]
    agent: String,
    /// File with one JSON object per line; - reads stdin
    inputs: PathBuf,
    /// Write the results to this file instead of stdout
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also write the results of inputs that did not complete to this file
    #[arg(long, value_name = "FILE")]
    failures: Option<PathBuf>,
    /// Number of inputs to run at the same time [default: runner.concurrency of the configuration]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    concurrency: Option<u32>,
    /// Run the valid inputs even if others are invalid, and report those as failed
    #[arg(long)]
    skip_invalid: bool,
    /// Run inputs again that failed in an earlier run of this command
    #[arg(long)]
    retry_failed: bool,
    /// Run all inputs even if the first ones all fail for the same reason
    #[arg(long)]
    keep_going: bool,
    /// Name of the batch; under a new name, finished inputs are run again
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Use this model instead of the agent's
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Priority in the queue; higher numbers run first [default: 0]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    priority: Option<i32>,
    /// Print the summary as JSON
    #[arg(long, requires = "output")]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let concurrency = arguments.concurrency.map(|concurrency| Flag {
        key: "runner.concurrency",
        name: "--concurrency",
        value: toml::Value::Integer(i64::from(concurrency)),
    });
    let config = arguments.connection.config(concurrency.into_iter().collect())?;
    let inputs = Inputs::open(&arguments.inputs)?;
    let look = async |client: &Client| client.agent(&arguments.agent).await.map(drop);
    let at_once = usize::try_from(config.values.runner.concurrency).unwrap_or(usize::MAX);
    let work = async |client: &Client| Batch::new(client, arguments, &inputs, at_once).await?.run().await;
    runtime::block_on(own_coordinator::work(&config, Lasting::No, look, work))
}

/// A running batch.
struct Batch<'a> {
    arguments: &'a Arguments,
    inputs: &'a Inputs,
    at_once: usize,
    schema: Schema,
    identity: Identity,
    occurrences: Occurrences,
    asking: Asking<'a>,
    results: Sink,
    failures: Option<Sink>,
    bar: Option<ProgressBar>,
    tally: Tally,
    start: Start,
    named: Vec<String>,
    began: Instant,
}

impl<'a> Batch<'a> {
    /// Checks everything that can be wrong.
    async fn new(
        client: &'a Client,
        arguments: &'a Arguments,
        inputs: &'a Inputs,
        at_once: usize,
    ) -> Result<Self, Failure> {
        let agent = client.agent(&arguments.agent).await?;
        let contract = client.agent_contract(&arguments.agent).await?;
        let schema = Schema::compile(&contract.parameters_schema, &meter());
        let schema = schema.map_err(|error| Problem::new(format!("parameters_schema: {error}")))?;
        let total = inputs.check(&schema, arguments.skip_invalid)?;
        let open = |path: &PathBuf| Sink::open(path, inputs);
        let results = arguments.output.as_ref().map(open).transpose()?.unwrap_or(Sink::Stdout);
        let failures = arguments.failures.as_ref().map(open).transpose()?;
        let bar = progress::bar(total);
        let newest = client.runs(&RunQuery { limit: Some(1), ..RunQuery::default() }).await?.items;
        Ok(Self {
            arguments,
            inputs,
            at_once,
            identity: Identity::new(
                &agent.blueprint,
                contract.output_schema.as_ref(),
                arguments.name.as_deref(),
            ),
            schema,
            occurrences: Occurrences::default(),
            asking: Asking {
                client,
                stop: CancellationToken::new(),
                made_before: newest.first().map(|run| run.created_at),
                retry_failed: arguments.retry_failed,
                outage: Arc::new(Outage::new(bar.clone())),
            },
            results,
            failures,
            bar,
            tally: Tally { inputs: total, ..Tally::default() },
            start: Start::default(),
            named: Vec::new(),
            began: Instant::now(),
        })
    }

    async fn run(mut self) -> Result<Exit, Failure> {
        let schema = self.schema.clone();
        let mut rows = self.inputs.rows(&schema)?.enumerate();
        let worked = self.work(&mut rows).await;
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        let Err(failure) = worked else { return self.summary() };
        // Finished rows are written, and found again by the next batch.
        output::message(&format!("{}. {CONTINUE}\n", self.tally.words()));
        Err(failure)
    }

    /// Runs the rows, as many at once as may be, and writes what became of them in their order.
    async fn work(&mut self, rows: &mut std::iter::Enumerate<Rows<'_>>) -> Result<(), Failure> {
        let mut signals = runtime::signals()?;
        let mut patience = None;
        // The futures borrow it, while the rest is changed.
        let (stop, outage) = (self.asking.stop.clone(), Arc::clone(&self.asking.outage));
        let asking = Asking { stop, outage, ..self.asking };
        let mut working = FuturesUnordered::new();
        let mut ahead = ReorderBuffer::default();
        let mut left = true;
        loop {
            while left && working.len() < self.at_once && !ahead.is_far() && !asking.stop.is_cancelled() {
                let Some((index, row)) = rows.next() else {
                    left = false;
                    break;
                };
                let asked = self.asked(row?)?;
                working.push(self::end(&asking, index, asked));
            }
            self.show(working.len());
            let finished = tokio::select! {
                finished = working.next() => finished,
                Some(()) = signals.recv() => {
                    if patience.is_some() {
                        return Ok(());
                    }
                    patience = Some(Instant::now() + STOP_PATIENCE);
                    asking.stop.cancel();
                    continue;
                }
                () = until(patience) => return Ok(()),
            };
            let Some(finished) = finished else { return Ok(()) };
            let (index, done) = finished?;
            if let Some(reason) = done.as_ref().and_then(|done| self.start.add(done))
                && !self.arguments.keep_going
            {
                self.tally.stopped_early = Some(reason);
                asking.stop.cancel();
            }
            ahead.add(index, done);
            while let Some(done) = ahead.next() {
                self.write(&done)?;
            }
            if output::still_read().is_err() {
                asking.stop.cancel();
            }
        }
    }

    /// The row, and the request and the key that it means; none where it is wrong.
    fn asked(&mut self, row: Row) -> Result<Asked, Failure> {
        let Ok(parameters) = &row.parameters else { return Ok(Asked { row, request: None }) };
        let request = CreateRun {
            agent_name: Some(self.arguments.agent.clone()),
            parameters: Some(parameters.clone()),
            model: self.arguments.model.clone(),
            priority: self.arguments.priority,
            ..CreateRun::default()
        };
        let key = self.occurrences.key(&self.identity, &request);
        let key = key.map_err(std::io::Error::from)?;
        Ok(Asked { row, request: Some((request, key)) })
    }

    fn write(&mut self, done: &Done) -> Result<(), Failure> {
        self.tally.add(done);
        if done.status != Status::Completed {
            if let Some(failures) = &mut self.failures {
                failures.write(&done.json)?;
            }
            if self.named.len() < NAMED {
                let failure = done.failure.as_deref().unwrap_or_default();
                self.named.push(format!("  {}:{}: {failure}\n", self.inputs.name(), done.line));
            }
        }
        match &self.bar {
            // Both may be on the same terminal.
            Some(bar) if matches!(self.results, Sink::Stdout) => {
                bar.suspend(|| self.results.write(&done.json))
            }
            _ => self.results.write(&done.json),
        }
    }

    fn show(&self, working: usize) {
        if let Some(bar) = &self.bar {
            bar.set_position(self.tally.finished());
            let failed = self.tally.failed + self.tally.stopped;
            let failed = match failed {
                0 => String::new(),
                _ => format!("{} · ", format!("{failed} failed").red()),
            };
            bar.set_message(output::on_stderr(&format!("· {failed}{working} running ·")));
        }
    }

    fn summary(mut self) -> Result<Exit, Failure> {
        self.results.end()?;
        self.failures.as_mut().map_or(Ok(()), Sink::end)?;
        let tally = &self.tally;
        let is_early = tally.stopped_early.is_some();
        let is_interrupted = self.asking.stop.is_cancelled() && tally.stopped > 0;
        let is_whole = is_early || tally.finished() == tally.inputs && !is_interrupted;
        let took = text::duration(u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX));
        output::message(&format!("{}; {took}\n", tally.words()));
        output::message(&self.named.concat());
        let failed = tally.failed + tally.stopped;
        let more = failed.saturating_sub(self.named.len() as u64);
        if more > 0 {
            output::message(&format!("  and {more} more\n"));
        }
        if let Some(reason) = &tally.stopped_early {
            let left = text::counted(tally.inputs.saturating_sub(tally.failed), "input");
            let said = format!("the first inputs all failed for the same reason, so {left} did not run");
            output::message(&format!("{} {said}: {reason}\n", "Stopped early:".yellow().bold()));
            let hint =
                "fix this, then run the same command with --retry-failed; --keep-going runs all inputs";
            output::message(&format!("{} {hint}\n", "hint:".cyan().bold()));
        } else if !is_whole {
            output::message(&format!("{} {CONTINUE}\n", "Interrupted.".yellow().bold()));
        } else if failed > 0 {
            let hint = "run the same command with --retry-failed to run only these again";
            output::message(&format!("{} {hint}\n", "hint:".cyan().bold()));
        }
        if self.arguments.json {
            output::json(&self.tally.json())?;
        }
        Ok(match (is_whole, failed) {
            (false, _) => Exit::Stopped,
            (true, 0) => Exit::Success,
            (true, _) => Exit::ContractNotMet,
        })
    }
}

const CONTINUE: &str = "Run the same command again to continue: finished inputs are not run again.";

/// A row and its request.
struct Asked {
    row: Row,
    request: Option<(CreateRun, String)>,
}

/// What became of the row with this index.
async fn end(asking: &Asking<'_>, index: usize, asked: Asked) -> Result<(usize, Option<Done>), Failure> {
    let end = match &asked.request {
        Some((request, key)) => asking.end(request, key).await?,
        None => ItemOutcome::NotAsked,
    };
    Ok((index, Done::new(&asked.row, &end)?))
}
