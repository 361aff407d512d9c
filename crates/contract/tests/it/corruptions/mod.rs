//! Generated damage of every kind: a damaged text yields the intended value or a rejection.

pub(crate) mod damage;
pub(crate) mod document;

use std::collections::BTreeMap;

use accord_contract::{Mode, same};
use damage::{Case, DAMAGES, Expect};
use document::{Random, document};

use crate::judging::{contract, value};

/// How many documents each kind of damage is tried on; `DAMAGE_ROUNDS` sets another number.
const ROUNDS: u64 = 300;

/// Percentage of the damage that must be repaired. The rest is rejected: a number at the end of a
/// text may be incomplete, and a bracket missing in the middle may belong in several places.
const RECOVERED: usize = 85;

/// Damage that leaves several plausible documents. Accepting none of them is right; accepting the
/// wrong one is not.
const HOPELESS: &[&str] = &["drop_opener", "extra_mark"];

fn rounds() -> u64 {
    std::env::var("DAMAGE_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(ROUNDS)
}

#[derive(Default)]
struct Score {
    cases: usize,
    right: usize,
    missed: usize,
    wrong: usize,
    false_accepts: usize,
}

fn run(case: &Case) -> Option<serde_json::Value> {
    value(&contract(&case.schema, Mode::Lenient), &case.text)
}

#[test]
fn damage_is_repaired_or_rejected() {
    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    let mut bad = Vec::new();
    for round in 0..rounds() {
        for (index, (name, damage)) in DAMAGES.iter().enumerate() {
            let mut random = Random(round * 1_000 + index as u64);
            let document = document(&mut random);
            let Some(case) = damage(&mut random, &document) else { continue };
            let score = scores.entry(name).or_default();
            score.cases += 1;
            match (run(&case), &case.expect) {
                (Some(got), Expect::Value(want)) if same(&got, want) => score.right += 1,
                (None, Expect::Reject) => score.right += 1,
                (None, Expect::Value(_)) => {
                    score.missed += 1;
                    if std::env::var_os("SHOW_MISSED").is_some() {
                        println!("missed {name} {round}: {}\n", case.text);
                    }
                }
                (Some(got), Expect::Value(want)) => {
                    score.wrong += 1;
                    bad.push(format!("{name} {round}:\n  text {}\n  got  {got}\n  want {want}", case.text));
                }
                (Some(got), Expect::Reject) => {
                    score.false_accepts += 1;
                    bad.push(format!(
                        "{name} {round}:\n  text {}\n  got  {got}, and should refuse",
                        case.text
                    ));
                }
            }
        }
    }
    println!("{:20} {:>6} {:>6} {:>7} {:>6} {:>6}", "damage", "cases", "right", "missed", "wrong", "false");
    for (name, score) in &scores {
        let Score { cases, right, missed, wrong, false_accepts } = score;
        println!("{name:20} {cases:>6} {right:>6} {missed:>7} {wrong:>6} {false_accepts:>6}");
    }
    bad.iter().take(40).for_each(|line| println!("{line}"));
    assert!(bad.is_empty(), "{} damaged texts were read as something else", bad.len());
    let counted = scores.iter().filter(|(name, _)| !HOPELESS.contains(name)).map(|(_, score)| score);
    let (cases, right) = counted.fold((0, 0), |sum, score| (sum.0 + score.cases, sum.1 + score.right));
    assert!(right * 100 >= cases * RECOVERED, "{right} of {cases} recovered or refused as they should be");
}
