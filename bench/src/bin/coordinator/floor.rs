//! A minimal server as a lower bound for a cycle: it reads the same number of requests, writes as
//! many bytes as the coordinator, syncs them before it answers (many at once if many wait), and
//! does nothing else. No routes, no JSON, no rows. Its cost is the kernel's share, for sockets,
//! syncs and waking threads.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::disk;
use bench::cycle::DURABLE_STEPS;
use bench::http::{self, Connection};
use bench::server::Server;

/// The first argument of the process that serves.
pub(crate) const SERVE: &str = "floor";

/// CPU milliseconds per cycle, with this many callers and this many bytes written per cycle.
pub(crate) async fn cpu(folder: &Path, callers: usize, bytes: f64, round: Duration) -> Result<f64> {
    let step = (bytes / DURABLE_STEPS as f64) as usize;
    let server = Server::start(&std::env::current_exe()?, folder, &[SERVE, &step.to_string()]).await?;
    let (cpu, begun) = (server.cpu()?, Instant::now());
    let mut tasks = Vec::new();
    for _ in 0..callers {
        let mut connection = Connection::open(&server.address).await?;
        tasks.push(tokio::spawn(async move {
            let mut cycles = 0_u32;
            while begun.elapsed() < round {
                for _ in 0..DURABLE_STEPS {
                    connection.post("/", "{}").await?;
                }
                connection.get("/").await?;
                cycles += 1;
            }
            anyhow::Ok(cycles)
        }));
    }
    let mut cycles = 0;
    for task in tasks {
        cycles += task.await??;
    }
    let used = server.cpu()?.saturating_sub(cpu);
    Ok(used.as_secs_f64() * 1000.0 / f64::from(cycles))
}

/// Serves until it is killed. Each step writes `step` bytes.
pub(crate) async fn serve(folder: &Path, step: usize) -> Result<()> {
    let (steps, waiting) = mpsc::channel();
    let file = disk::file(folder)?;
    std::thread::spawn(move || write(file, step, &waiting));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    announce(&format!("http://{}", listener.local_addr()?));
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(answer(stream, steps.clone()));
    }
}

#[expect(clippy::print_stdout, reason = "whoever started it reads the address")]
fn announce(address: &str) {
    println!("{address}");
}

type Step = oneshot::Sender<()>;

/// Writes and syncs as many steps at once as there are.
fn write(mut file: File, step: usize, waiting: &mpsc::Receiver<Step>) -> Result<()> {
    let mut place = 0;
    while let Ok(first) = waiting.recv() {
        let mut group = vec![first];
        group.extend(waiting.try_iter());
        let block = vec![b'y'; (step * group.len()).clamp(1, disk::FILE_BYTES)];
        place = if place + block.len() > disk::FILE_BYTES { 0 } else { place };
        file.seek(SeekFrom::Start(place as u64))?;
        file.write_all(&block)?;
        file.sync_data()?;
        place += block.len();
        for step in group {
            // The caller may be gone.
            let _ = step.send(());
        }
    }
    Ok(())
}

/// Answers what one connection asks. Only what is posted is written.
async fn answer(mut stream: TcpStream, steps: mpsc::Sender<Step>) -> Result<()> {
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        while http::whole(&buffer)?.is_none() {
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        }
        if buffer.starts_with(b"POST") {
            let (done, written) = oneshot::channel();
            steps.send(done).context("the writer has ended")?;
            written.await?;
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await?;
    }
}
