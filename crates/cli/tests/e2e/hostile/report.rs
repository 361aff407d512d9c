//! The results of all attacks, and the worst of each place.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use super::seed;

/// What one attack has cost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    pub(super) cpu: Duration,
    /// Bytes of memory over what the process used before.
    pub(super) memory: u64,
    /// The longest time that another client waited meanwhile, if there was one.
    pub(super) other: Option<Duration>,
}

/// The worst of a place, each with the name of its shape.
#[derive(Default)]
struct Worst {
    attacks: usize,
    cpu: (Duration, String),
    memory: (u64, String),
    other: Option<Duration>,
}

#[derive(Default)]
pub(super) struct Report {
    failures: Vec<String>,
    places: BTreeMap<String, Worst>,
}

impl Report {
    pub(super) fn note(&mut self, place: &str, shape: &str, cost: Cost) {
        let worst = self.places.entry(place.to_owned()).or_default();
        worst.attacks += 1;
        if cost.cpu >= worst.cpu.0 {
            worst.cpu = (cost.cpu, shape.to_owned());
        }
        if cost.memory >= worst.memory.0 {
            worst.memory = (cost.memory, shape.to_owned());
        }
        worst.other = worst.other.max(cost.other);
        if std::env::var_os("HOSTILE_VERBOSE").is_some() {
            println!("{:>8.2?} {:>5} MiB {place}: {shape}", cost.cpu, cost.memory >> 20);
        }
    }

    pub(super) fn fail(&mut self, place: &str, shape: &str, error: &str) {
        if std::env::var_os("HOSTILE_VERBOSE").is_some() {
            println!("FAILED {place}: {shape}: {error}");
        }
        self.failures.push(format!("{place}: {shape}: {error}"));
    }

    /// Prints the worst cases, and fails if there was a failure.
    pub(super) fn conclude(&self, kind: &str) {
        let attacks: usize = self.places.values().map(|worst| worst.attacks).sum();
        let memory = self.places.iter().max_by_key(|(_, worst)| worst.memory.0);
        let cpu = self.places.iter().max_by_key(|(_, worst)| worst.cpu.0);
        let (places, seed) = (self.places.len(), seed());
        println!(
            "{kind}: {attacks} attacks at {places} places, {} failures, seed {seed}",
            self.failures.len()
        );
        if let (Some((large, memory)), Some((slow, cpu))) = (memory, cpu) {
            let (bytes, shape) = &memory.memory;
            println!("most memory: {} MiB, {large}: {shape}", bytes >> 20);
            println!("most CPU: {:.2?}, {slow}: {}", cpu.cpu.0, cpu.cpu.1);
        }
        let mut table = String::new();
        for (place, worst) in &self.places {
            let ((cpu, slow), (memory, large)) = (&worst.cpu, &worst.memory);
            let other = worst.other.map_or_else(|| "–".to_owned(), |time| format!("{:.0?}", time));
            let memory = memory >> 20;
            let _ = writeln!(
                table,
                "| {kind} | `{place}` | {} | {memory} MiB | {large} | {cpu:.2?} | {slow} | {other} |",
                worst.attacks
            );
        }
        print!("{table}");
        if let Some(file) = std::env::var_os("HOSTILE_TABLE") {
            let mut file = std::fs::File::options().create(true).append(true).open(file).unwrap();
            file.write_all(table.as_bytes()).unwrap();
        }
        let failures = &self.failures;
        assert!(
            failures.is_empty(),
            "{} attacks did harm (HOSTILE_SEED={seed}):\n{}",
            failures.len(),
            failures.join("\n")
        );
    }
}
