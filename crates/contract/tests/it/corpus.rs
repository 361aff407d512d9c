//! The judge over the public sample of recorded answers.

use accord_corpus::{Case, Score, Thresholds, parse};

#[test]
fn the_public_sample_is_judged_as_expected() {
    let cases = parse(include_str!("../corpus/public_sample.jsonl")).unwrap();
    assert_eq!(cases.len(), 60);
    let score = Score::of(&cases, Case::judged);
    assert_eq!(score.shortfalls(Thresholds::default()), [] as [&str; 0], "{:#?}", score.faults);
}
