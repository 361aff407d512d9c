//! What repairs of damaged text keep: every word and digit that was written, or nothing at all.

#![expect(clippy::expect_used, reason = "a test that cannot go on fails")]

use accord_contract::{Answer, Contract, Mode, Options, Schema, Verdict, judge};
use serde_json::{Value, json};

fn lenient(document: &Value) -> Contract {
    let schema = Schema::compile(document).expect("the schema compiles");
    Contract::new(schema).with_options(Options { mode: Mode::Lenient, ..Options::default() })
}

/// What a text is read as where each of its members, all optional, has one of these schemas.
fn read(text: &str, members: Value) -> Option<Value> {
    match judge(&Answer::text(text), &lenient(&json!({"type": "object", "properties": members}))) {
        Verdict::Accepted(accepted) => Some(accepted.value),
        Verdict::Rejected(_) => None,
    }
}

fn string() -> Value {
    json!({"type": "string"})
}

fn number() -> Value {
    json!({"type": "number"})
}

#[test]
fn a_call_that_computes_is_not_its_argument() {
    for text in ["{\"a\": not(true)}", "{\"a\": sqrt(16)}", "{\"a\": abs(-5)}", "{\"a\": negative(5)}"] {
        assert_eq!(read(text, json!({"a": {"type": ["number", "boolean"]}})), None, "{text}");
    }
    assert_eq!(read("{\"a\": sqrt(16)}", json!({"a": string()})), Some(json!({"a": "sqrt(16)"})));
}

#[test]
fn a_call_that_writes_a_value_is_that_value() {
    for (text, kind, expected) in [
        ("{\"a\": ObjectId(\"507f\")}", "string", json!("507f")),
        ("{\"a\": ISODate(\"2026-01-02T03:04:05Z\"), b: 1}", "string", json!("2026-01-02T03:04:05Z")),
        ("{\"a\": NumberLong(2)}", "integer", json!(2)),
        ("{\"a\": NumberInt( \"3\" )}", "integer", json!(3)),
        ("{\"a\": NumberDecimal(4.5)}", "number", json!(4.5)),
        ("{\"a\": set([1, 2])}", "array", json!([1, 2])),
    ] {
        let taken = read(text, json!({"a": {"type": kind}}));
        assert_eq!(taken.and_then(|value| value.get("a").cloned()), Some(expected), "{text}");
    }
}

#[test]
fn words_behind_a_string_are_not_lost() {
    for text in
        ["{\"a\": \"5\" million}", "{\"a\": \"not\" guilty}", "{\"a\": \"5\" USD}", "{\"a\": \"S&P\" AAA}"]
    {
        assert_eq!(read(text, json!({"a": {"type": ["string", "number"]}})), None, "{text}");
    }
    assert_eq!(read("{\"a\": \"5\" million, \"b\": 1}", json!({"a": number(), "b": number()})), None);
    assert_eq!(
        read("{\"b\": 1, SHOULD_NOT_EXIST \"a\": \"data\" AAAA }", json!({"a": string(), "b": number()})),
        Some(json!({"b": 1, "a": "data"})),
        "what is no word of any language is lost to nobody"
    );
}

#[test]
fn a_comma_that_may_be_a_decimal_one_makes_no_number() {
    let place = json!({"lat": number(), "lon": number()});
    assert_eq!(read("{\"lat\": 48,137, \"lon\": 11,575}", place.clone()), None);
    assert_eq!(read("{\"lat\": 48,5, \"lon\": 1}", place.clone()), None);
    for (text, expected) in [
        ("{\"lat\": -2,000.00, \"lon\": 1}", json!({"lat": -2000.00, "lon": 1})),
        ("{\"lat\": 12,345,678}", json!({"lat": 12_345_678})),
        ("{\"lat\": 82_461_110, \"lon\": +.5}", json!({"lat": 82_461_110, "lon": 0.5})),
        ("{\"lat\": 1,\"lon\": 2}", json!({"lat": 1, "lon": 2})),
        ("{lat: 1,lon: 2}", json!({"lat": 1, "lon": 2})),
    ] {
        let taken = read(text, place.clone());
        assert!(taken.is_some_and(|value| accord_contract::same(&value, &expected)), "{text}");
    }
    assert_eq!(read("{1: 1,2: 2}", json!({"1": number(), "2": number()})), Some(json!({"1": 1, "2": 2})));
}

#[test]
fn a_string_is_what_was_written_and_not_how_json_writes_the_number() {
    for written in ["+4917012345", "0x00FF00", "1,000", "1,000,000", "48,5", "1_000", ".50", "0789", "1e3"] {
        let text = format!("{{\"a\": {written}, \"b\": 1}}");
        assert_eq!(
            read(&text, json!({"a": string(), "b": number()})),
            Some(json!({"a": written, "b": 1})),
            "{text}"
        );
    }
    assert_eq!(
        read(
            "{\"a\": +491, \"b\": 0x10, \"c\": [+492, +493]}",
            json!({"a": string(), "b": number(), "c": {"type": "array", "items": string()}})
        ),
        Some(json!({"a": "+491", "b": 16, "c": ["+492", "+493"]}))
    );
    assert_eq!(read("{\"a\": 0x10}", json!({"a": {"enum": ["16"]}})), None);
    assert_eq!(
        read("{\"a\": 0x10}", json!({"a": {"type": "string", "pattern": "^0x"}})),
        Some(json!({"a": "0x10"}))
    );
}

#[test]
fn a_closing_tag_in_a_value_does_not_end_it() {
    let both = json!({"a": string(), "b": string()});
    for (text, expected) in [
        ("{\"a\": see </div> tag, \"b\": \"y\"}", json!({"a": "see </div> tag", "b": "y"})),
        ("{\"a\": <b>x</b>}", json!({"a": "<b>x</b>"})),
        ("<answer>{\"a\": \"x\"</answer>", json!({"a": "x"})),
        ("<answer>\n{a: x\n</answer> as in [1]", json!({"a": "x"})),
        ("<answer>{a: x</answer>", json!({"a": "x"})),
        ("```json\n{\"a\": \"x\", \"b\": \"y\"\n```\nSee {this}.", json!({"a": "x", "b": "y"})),
    ] {
        assert_eq!(read(text, both.clone()), Some(expected), "{text}");
    }
    assert_eq!(read("{\"a\": \"x\" </div>, \"b\": \"y\"}", both), None);
    assert_eq!(read("{\"a\": 5 </div>, \"b\": 6}", json!({"a": number(), "b": number()})), None);
}

#[test]
fn two_slashes_behind_a_number_are_no_comment() {
    let members = json!({"n": number(), "x": number()});
    assert_eq!(read("{\"n\": 7//2, \"x\": 1}", members.clone()), None);
    let both = Some(json!({"n": 7, "x": 1}));
    for text in [
        "{\"n\": 7, // seven\n \"x\": 1}",
        "{\"n\": 7 // seven\n, \"x\": 1}",
        "{\"n\": 7,// seven\n\"x\": 1}",
        "{// first\n\"n\": 7, \"x\": 1}",
        "{\"n\": /*why*/7/*so*/, \"x\": 1 /* end */}",
    ] {
        assert_eq!(read(text, members.clone()), both, "{text}");
    }
    assert_eq!(read("{\"s\": \"x\"// a string\n}", json!({"s": string()})), Some(json!({"s": "x"})));
    assert_eq!(
        read("{s: https://example.org/a//b}", json!({"s": string()})),
        Some(json!({"s": "https://example.org/a//b"}))
    );
}

#[test]
fn a_key_without_quotes_begins_a_member_also_where_the_comma_is_missing() {
    let both = json!({"a": string(), "b": string()});
    assert_eq!(read("{\"a\": \"x\" b: \"y\"}", both.clone()), Some(json!({"a": "x", "b": "y"})));
    assert_eq!(
        read("{\"a\": \"the \"best\" b: \"y\" of all\"}", both.clone()),
        Some(json!({"a": "the \"best\" b: \"y\" of all"})),
        "a phrase in quotes inside a string"
    );
    assert_eq!(read("{\"a\": \"say \"hi\" to: all\"}", both), Some(json!({"a": "say \"hi\" to: all"})));
}
