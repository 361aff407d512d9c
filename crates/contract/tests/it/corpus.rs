//! The judge over the public sample of recorded answers, and over texts that are near to them.

use accord_corpus::{Case, Mark, Score, Thresholds, parse};

#[test]
fn the_public_sample_is_judged_as_expected() {
    let cases = parse(include_str!("../corpus/public_sample.jsonl")).unwrap();
    assert_eq!(cases.len(), 60);
    let score = Score::of(&cases, Case::judged);
    assert_eq!(score.shortfalls(Thresholds::default()), [] as [&str; 0], "{:#?}", score.faults);
}

#[test]
fn the_neighbours_of_recorded_answers_are_read_as_meant_or_refused() {
    let cases = parse(include_str!("../corpus/neighbours.jsonl")).unwrap();
    let score = Score::of(&cases, Case::judged);
    let bad: Vec<_> = score.faults.iter().filter(|(_, mark, _)| *mark != Mark::Missed).collect();
    assert!(bad.is_empty(), "{bad:#?}");
}
