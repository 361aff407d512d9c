//! A scripted model on loopback, for recording examples and trying things by hand.
//!
//! `accord-model SCRIPT.json` prints its address. Until stdin is closed, it answers each request
//! with the next string of the script, which is a JSON list of strings. It speaks every wire that
//! the executors do.

#![expect(clippy::print_stdout, reason = "the address is the output")]

use std::error::Error;
use std::io::Read as _;

use accord_test_support::{ModelServer, Reply, Script};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: accord-model SCRIPT.json")?;
    let texts: Vec<String> = serde_json::from_str(&std::fs::read_to_string(file)?)?;
    let server = ModelServer::start(Script::replies(texts.into_iter().map(Reply::text))).await?;
    println!("{}", server.url());
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}
