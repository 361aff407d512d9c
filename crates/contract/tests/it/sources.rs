//! Possible locations of an accepted value: alone, in a fence, in prose.

use accord_contract::Meter;
use accord_contract::lower::{Profile, lower};
use accord_contract::{
    Answer, Contract, Embedded, Extract, Mode, Options, Outcome, Rejected, Schema, Source, Verdict, judge,
};
use serde_json::{Value, json};

const ALONE: &str = r#"{"severity": "low", "count": 3}"#;
const THOUGHT: &str =
    "<think>Is it {\"severity\": \"high\", \"count\": 1}?</think>\n{\"severity\": \"low\", \"count\": 3}";
const FENCED: &str = "Here it is:\n```json\n{\"severity\": \"low\", \"count\": 3}\n```\nDone.";
const IN_PROSE: &str = r#"I cannot read the file. The format would be {"severity": "low", "count": 3}."#;

const FENCE: Extract = Extract { fence: true, prose: false };
const PROSE: Extract = Extract { fence: false, prose: true };

fn report() -> Value {
    json!({
        "type": "object",
        "properties": {"severity": {"enum": ["low", "high"]}, "count": {"type": "integer"}},
        "required": ["severity", "count"],
        "additionalProperties": false
    })
}

fn contract(options: Options) -> Contract {
    Contract::new(Schema::compile(&report(), &Meter::default()).unwrap()).with_options(options)
}

fn judged(options: Options, text: &str) -> Result<Source, Box<Rejected>> {
    match judge(&Answer::text(text), &contract(options), &Meter::default()) {
        Verdict::Accepted(accepted) => {
            assert_eq!(accepted.value, json!({"severity": "low", "count": 3}));
            Ok(accepted.source)
        }
        Verdict::Rejected(rejected) => Err(Box::new(rejected)),
    }
}

fn extracting(extract_json: Extract) -> Options {
    Options { extract_json, ..Options::default() }
}

#[test]
fn values_have_their_source() {
    let cases = [
        (ALONE, Source::Text),
        (THOUGHT, Source::Text),
        ("<answer>{\"severity\": \"low\", \"count\": 3}</answer>", Source::Text),
        (FENCED, Source::Fence),
        (IN_PROSE, Source::Prose),
    ];
    for mode in [Mode::Strict, Mode::Lenient] {
        for (text, source) in cases {
            assert_eq!(judged(Options { mode, ..Options::default() }, text), Ok(source), "{text}");
        }
    }
}

#[test]
fn only_listed_sources_are_accepted() {
    let (alone, fenced) = ("expected the value alone", "expected the value alone or in a code fence");
    let prose = "expected the value alone or in prose";
    for (extract, text, expected) in [
        (Extract::NONE, ALONE, Ok(Source::Text)),
        (FENCE, ALONE, Ok(Source::Text)),
        (FENCE, THOUGHT, Ok(Source::Text)),
        (FENCE, FENCED, Ok(Source::Fence)),
        (FENCE, IN_PROSE, Err(format!("{fenced}, got it in other text"))),
        (PROSE, ALONE, Ok(Source::Text)),
        (PROSE, IN_PROSE, Ok(Source::Prose)),
        (PROSE, FENCED, Err(format!("{prose}, got it in a code fence"))),
        (Extract::ALL, IN_PROSE, Ok(Source::Prose)),
    ] {
        for mode in [Mode::Strict, Mode::Lenient] {
            let told = judged(Options { mode, ..extracting(extract) }, text).map_err(|rejected| {
                assert_eq!(rejected.outcome, Outcome::Embedded);
                rejected.violations.errors[0].message.clone()
            });
            assert_eq!(told, expected, "{extract:?} {text}");
        }
    }
    for text in [FENCED, IN_PROSE] {
        assert!(judged(extracting(Extract::NONE), text).is_err(), "{alone}: {text}");
    }
}

#[test]
fn strict_json_only_overrides_the_list() {
    let options = Options { strict_json_only: true, ..extracting(Extract::ALL) };
    assert_eq!(judged(options, ALONE), Ok(Source::Text));
    assert!(judged(options, FENCED).is_err() && judged(options, IN_PROSE).is_err());
}

#[test]
fn a_fence_next_to_another_value_in_prose_is_ambiguous() {
    let text = format!("The format is {{\"severity\": \"high\", \"count\": 9}}.\n{FENCED}");
    let rejected = judged(extracting(FENCE), &text).unwrap_err();
    assert_eq!(rejected.outcome, Outcome::Ambiguous);
    let text = format!("As said, {ALONE}.\n{FENCED}");
    assert_eq!(judged(extracting(FENCE), &text), Ok(Source::Fence));
}

#[test]
fn a_value_in_prose_has_to_be_confirmed() {
    for mode in [Mode::Strict, Mode::Lenient] {
        let options = Options { embedded: Embedded::Confirm, mode, ..Options::default() };
        assert_eq!(judged(options, ALONE), Ok(Source::Text));
        assert_eq!(judged(options, THOUGHT), Ok(Source::Text));
        assert_eq!(judged(options, FENCED), Ok(Source::Fence));
        let rejected = judged(options, IN_PROSE).unwrap_err();
        assert_eq!(rejected.outcome, Outcome::Unconfirmed);
        let value = rejected.candidate.unwrap().value;
        assert_eq!(value, Some(json!({"severity": "low", "count": 3})));
    }
}

#[test]
fn a_submitted_value_needs_no_confirmation() {
    let options = Options { embedded: Embedded::Confirm, extract_json: Extract::NONE, ..Options::default() };
    let value = json!({"severity": "low", "count": 3});
    let verdict = judge(&Answer::structured(&value, "It is done."), &contract(options), &Meter::default());
    assert!(matches!(verdict, Verdict::Accepted(accepted) if accepted.source == Source::Structured));
}

#[test]
fn a_value_to_confirm_is_shown_in_the_requested_form() {
    let schema = Schema::compile(
        &json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "required": ["a"],
            "additionalProperties": false
        }),
        &Meter::default(),
    )
    .unwrap();
    let lowered = lower(&schema, Profile::named("openai").unwrap(), &Meter::default()).unwrap();
    let options = Options { embedded: Embedded::Confirm, ..Options::default() };
    let contract = Contract::new(schema).with_options(options);
    let answer = Answer { lift: Some(&lowered.lift), ..Answer::text(r#"So it is {"a": 1, "b": null}."#) };
    let Verdict::Rejected(rejected) = judge(&answer, &contract, &Meter::default()) else {
        panic!("it is not confirmed")
    };
    assert_eq!(rejected.outcome, Outcome::Unconfirmed);
    assert_eq!(rejected.candidate.unwrap().value, Some(json!({"a": 1, "b": null})));
}
