//! The judge on the public sample of recorded answers, and on variations of them.

use accord_corpus::{Case, Mark, Score, Thresholds, parse};

#[test]
fn the_public_sample_has_the_expected_verdicts() {
    let cases = parse(include_str!("../corpus/public_sample.jsonl")).unwrap();
    assert_eq!(cases.len(), 60);
    let score = Score::of(&cases, Case::judged);
    assert_eq!(score.shortfalls(Thresholds::default()), [] as [&str; 0], "{:#?}", score.faults);
}

#[test]
fn variations_of_recorded_answers_are_read_correctly_or_rejected() {
    let cases = parse(include_str!("../corpus/neighbours.jsonl")).unwrap();
    let score = Score::of(&cases, Case::judged);
    let bad: Vec<_> = score.faults.iter().filter(|(_, mark, _)| *mark != Mark::Missed).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}
