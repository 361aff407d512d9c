//! What a durable, validated run costs through the OpenAI-compatible front, over a bare model call; beside it the LiteLLM proxy.
//!
//! `front ACCORD LITELLM [RATE] [ROUNDS] [SECONDS]`: the two binaries, the requests per second (100), how many rounds (3), and how
//! long each one takes (10). A round is the bare model, Accord and LiteLLM, one after the other, all with the same model and the
//! same load. Prints Markdown.

#![expect(clippy::print_stdout, reason = "the tables are the output")]
#![expect(clippy::print_stderr, reason = "progress goes beside them")]

mod load;
mod model;
mod peers;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use load::{Load, Measured};

const RATE: u32 = 100;
const ROUNDS: u32 = 3;
const SECONDS: u64 = 10;

/// Where the database of Accord is: in memory, so that no disk is measured.
const MEMORY: &str = "/dev/shm";

struct Peer {
    name: &'static str,
    guarantees: &'static str,
    load: Load,
    rounds: Vec<Measured>,
}

impl Peer {
    /// The median of a percentile over the rounds: one round in which something else had the processor does not count.
    fn median(&self, percent: usize) -> f64 {
        let mut each: Vec<f64> = self.rounds.iter().map(|round| round.percentile(percent)).collect();
        each.sort_by(f64::total_cmp);
        each.get(each.len() / 2).copied().unwrap_or_default()
    }
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let accord = PathBuf::from(arguments.next().context("name the accord binary")?);
    let litellm = PathBuf::from(arguments.next().context("name the litellm binary")?);
    let rate = arguments.next().map_or(Ok(RATE), |text| text.parse()).context("RATE is a number")?;
    ensure!(rate > 0, "expected a RATE of at least 1, got 0");
    let rounds = arguments.next().map_or(Ok(ROUNDS), |text| text.parse()).context("ROUNDS is a number")?;
    let seconds = arguments.next().map_or(Ok(SECONDS), |text| text.parse()).context("SECONDS is a number")?;
    let model = model::start()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let folder = tempfile::tempdir_in(MEMORY)?;
    let accord = runtime.block_on(peers::accord(&accord, folder.path(), &model))?;
    let litellm = runtime.block_on(peers::litellm(&litellm, folder.path(), &model))?;
    let peer = |name, guarantees, load| Peer { name, guarantees, load, rounds: Vec::new() };
    let mut peers = [
        peer("the model alone", "nothing", Load::with_schema(&model)),
        peer("Accord", "durable, validated", Load::without_schema(&accord.address)),
        peer("LiteLLM proxy", "neither", Load::with_schema(&litellm.address).with_key(&litellm.key)),
    ];
    for round in 1..=rounds {
        for peer in &mut peers {
            let measured = peer.load.run(rate, Duration::from_secs(seconds))?;
            eprintln!("round {round}, {}: {measured}", peer.name);
            peer.rounds.push(measured);
        }
    }
    table(&peers, rate, rounds, seconds)
}

fn table(peers: &[Peer], rate: u32, rounds: u32, seconds: u64) -> Result<()> {
    println!(
        "{rate} requests/s, {rounds} rounds of {seconds} s each, a model that answers after {} ms. Medians of the rounds.\n",
        model::LATENCY.as_millis()
    );
    println!(
        "| called | guarantees | answers | p50 ms | p99 ms | over the model alone, p50 ms | p99 ms | p99 of each round, ms |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    let bare = peers.first().context("no peers")?;
    for peer in peers {
        let [p50, p99] = [50, 99].map(|percent| peer.median(percent));
        let answers: usize = peer.rounds.iter().map(Measured::answers).sum();
        let each: Vec<String> =
            peer.rounds.iter().map(|round| format!("{:.1}", round.percentile(99))).collect();
        println!(
            "| {} | {} | {} | {p50:.2} | {p99:.2} | {:.2} | {:.2} | {} |",
            peer.name,
            peer.guarantees,
            answers,
            p50 - bare.median(50),
            p99 - bare.median(99),
            each.join(", ")
        );
    }
    println!();
    let failed: usize = peers.iter().flat_map(|peer| &peer.rounds).map(|round| round.failures).sum();
    ensure!(failed == 0, "{failed} requests failed");
    Ok(())
}
