//! Repairs of damaged text keep every word and digit that was written, or fail.

use accord_contract::Meter;
use accord_contract::{Answer, Contract, Mode, Outcome, Verdict, judge};
use serde_json::{Value, json};

use crate::judging::{contract, value};

fn lenient(document: &Value) -> Contract {
    contract(document, Mode::Lenient)
}

/// The value read from a text, given the schemas of its properties, which are all optional.
fn read(text: &str, members: Value) -> Option<Value> {
    value(&lenient(&json!({"type": "object", "properties": members})), text)
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
    assert_eq!(read("{\"a\": sqrt(16)}", json!({"a": string()})), None);
}

#[test]
fn words_after_a_string_are_not_lost() {
    for text in
        ["{\"a\": \"5\" million}", "{\"a\": \"not\" guilty}", "{\"a\": \"5\" USD}", "{\"a\": \"S&P\" AAA}"]
    {
        assert_eq!(read(text, json!({"a": {"type": ["string", "number"]}})), None, "{text}");
    }
    assert_eq!(read("{\"a\": \"5\" million, \"b\": 1}", json!({"a": number(), "b": number()})), None);
    assert_eq!(read("{\"b\": 1, NOT \"a\": \"x\"}", json!({"a": string(), "b": number()})), None);
    assert_eq!(read("{\"a\": \"data\" AAAA }", json!({"a": string()})), None);
}

#[test]
fn a_possible_decimal_comma_is_not_a_number() {
    let place = json!({"lat": number(), "lon": number()});
    assert_eq!(read("{\"lat\": 48,137, \"lon\": 11,575}", place.clone()), None);
    assert_eq!(read("{\"lat\": 48,5, \"lon\": 1}", place.clone()), None);
    for (text, expected) in [
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
fn two_slashes_after_a_number_are_not_a_comment() {
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
    assert_eq!(
        read("{s: https://example.org/a//b}", json!({"s": string()})),
        Some(json!({"s": "https://example.org/a//b"}))
    );
}

/// The value read from a text, given the schema of list items.
fn listed(text: &str, item: Value) -> Option<Value> {
    match judge(&Answer::text(text), &lenient(&json!({"type": "array", "items": item})), &Meter::default()) {
        Verdict::Accepted(accepted) => Some(accepted.value),
        Verdict::Rejected(_) => None,
    }
}

#[test]
fn undoubled_backslashes_are_not_escapes() {
    for written in [
        r"C:\Users\new\test",
        r"C:\Program Files\nodejs",
        r"\sqrt{x} \times \frac{a}{b}",
        r"\theta = \pi",
        r"\d+\n",
        r"\\server\share",
        r"1 & 2 \\ 3 & 4 \end",
        r"\w+\/\d+",
        r#"\\"hi\\""#,
        r"\x41",
        r"\U0001F600",
        r"\e[0m",
        r"a\v",
        r"\0",
        r"\101",
        r"\N{BULLET}",
        r"\$5",
        r"\delta \$5",
    ] {
        let text = format!("{{\"a\": \"{written}\"}}");
        assert_eq!(read(&text, json!({"a": string()})), None, "{text}");
    }
    let rows = "{\"a\": \"C:\\Users\\new\"}\n{\"a\": \"x\"}";
    assert_eq!(listed(rows, json!({"type": "object", "properties": {"a": string()}})), None);
    for (written, expected) in [
        (r"C:\Users\Ann", r"C:\Users\Ann"),
        (r#"say \"\d\""#, r#"say "\d""#),
        (r"one\ntwo, don\'t", "one\ntwo, don't"),
        (r"one\ttwo \`x\`", "one\ttwo `x`"),
    ] {
        let text = format!("{{\"a\": \"{written}\"}}");
        assert_eq!(read(&text, json!({"a": string()})), Some(json!({"a": expected})), "{text}");
    }
}

#[test]
fn two_strings_and_a_note_do_not_become_one_string() {
    for text in [
        "[\"x\" note, \"y\"]",
        "[\"x\" or \"y\"]",
        "[\"x\" - best, \"y\" - second]",
        "[\"5\" wide, \"7\"]",
        "['x' or 'y']",
    ] {
        assert_eq!(listed(text, string()), None, "{text}");
    }
    for text in [
        "{\"a\": \"yes\" or \"no\"}",
        "{\"a\": \"x\" a note, \"b\": \"z\"}",
        "{\"a\": \"x\"!, \"b\": \"z\"}",
        "{\"a\": \"x\" 5, \"b\": \"z\"}",
        "{\"a\": \"x\".upper(), \"b\": \"z\"}",
        "{\"a\": \"x\"? \"y\": \"z\"}",
        "{\"a\": \"(72\")\n\"b\": \"z\"}",
        "{\"a\": \"\"A\" and \"B\", \"b\": \"z\"}",
        "{\"a\": \"Hello\" she said, \"how are you\"\"}",
    ] {
        assert_eq!(read(text, json!({"a": string(), "b": string()})), None, "{text}");
    }
    for written in
        ["say \"a\" or \"b\"", "a 15\" screen", "the \"best, of\" all", "v\"alue", "他说\"你好\"。"]
    {
        let text = format!("{{\"a\": \"{written}\", \"b\": \"z\"}}");
        let expected = json!({"a": written, "b": "z"});
        assert_eq!(read(&text, json!({"a": string(), "b": string()})), Some(expected), "{text}");
    }
}

#[test]
fn alternative_values_are_not_a_list() {
    let item = json!({"type": "object", "properties": {"n": number()}, "required": ["n"]});
    for text in [
        "{\"n\": 1}\nWait, that is wrong. It should be:\n{\"n\": 2}",
        "```json\n{\"n\": 1}\n```\nSorry, corrected:\n```json\n{\"n\": 2}\n```",
        "Either {\"n\": 1} or {\"n\": 2}.",
        "Option A: {\"n\": 1}\nOption B: {\"n\": 2}",
        "For example {\"n\": 1}. My answer: {\"n\": 2}",
        "Draft: {\"n\": 1}\nFinal: {\"n\": 2}",
        "{\"n\": 1}, {\"n\": 1.5}, no: {\"n\": 2}",
        "{\"n\": 1}\nScratch that:\n{\"n\": 2}",
        "{\"n\": 1} или {\"n\": 2}",
        "Wrong: {\"n\": 1}\nRight: {\"n\": 2}",
        "Input: {\"n\": 1}\nResult: {\"n\": 2}",
        "For example, {\"n\": 1}.\n\nHere is the result:\n{\"n\": 2}",
        "<old>{\"n\": 1}</old><new>{\"n\": 2}</new>",
        "-{\"n\": 1}\n+{\"n\": 2}",
        "{\"n\": 1}\n{\"n\": 2}\n\nI am not sure which of these is right.",
        "First object: {\"n\": 1}\nSecond object: {\"n\": 2}",
        "Bestellung: {\"n\": 1}\nBestellung: {\"n\": 2}",
        "{\"n\": 1}\nDiscard the first.\n{\"n\": 2}",
    ] {
        let contract = lenient(&json!({"type": "array", "items": item}));
        let Verdict::Rejected(rejected) = judge(&Answer::text(text), &contract, &Meter::default()) else {
            panic!("{text}")
        };
        assert_eq!(rejected.outcome, Outcome::Ambiguous, "{text}");
    }
    for text in [
        "{\"n\": 1}\n{\"n\": 2}",
        "1. {\"n\": 1}\n2. {\"n\": 2}",
        "Here is my answer:\n{\"n\": 1}\n{\"n\": 2}",
        "<tool_call>{\"n\": 1}</tool_call>\n<tool_call>{\"n\": 2}</tool_call>",
        "```json\n{\"n\": 1}\n```\n```json\n{\"n\": 2}\n```",
    ] {
        assert_eq!(listed(text, item.clone()), Some(json!([{"n": 1}, {"n": 2}])), "{text}");
    }
}

#[test]
fn a_flat_list_is_not_cut_into_lists() {
    let row = json!({"type": "array", "items": number()});
    for text in ["[1, 2, 3]", "[\"1\", \"2\"]", "5"] {
        assert_eq!(listed(text, row.clone()), None, "{text}");
    }
    let rows = json!({"a": {"type": "array", "items": row}});
    assert_eq!(read("{\"a\": [24.9, 60.2]}", rows.clone()), None);
    assert_eq!(read("{\"a\": 5}", rows.clone()), None);
    for (text, expected) in [("{\"a\": [5]}", json!([[5]])), ("{\"a\": [[1, 2], 3]}", json!([[1, 2], [3]]))] {
        assert_eq!(read(text, rows.clone()), Some(json!({"a": expected})), "{text}");
    }
    assert_eq!(read("{\"a\": 5}", json!({"a": row})), Some(json!({"a": [5]})));
    let pair = json!({"a": {"type": "array", "items": [row, number()], "additionalItems": false}});
    assert_eq!(read("{\"a\": [1, 2]}", pair), Some(json!({"a": [[1], 2]})));
}

#[test]
fn a_colon_before_a_word_is_not_dropped() {
    let both = json!({"a": string(), "b": string()});
    for text in
        ["{\"a\": ::1}", "{\"a\": :smile:, \"b\": \"x\"}", "{\"a\": ::ffff:1.2.3.4}", "{\"a\": : : x}"]
    {
        assert_eq!(read(text, both.clone()), None, "{text}");
    }
}

#[test]
fn colours_are_not_comments() {
    let both = json!({"a": string(), "b": string()});
    assert_eq!(read("{\"a\": #fff, \"b\": \"x\"}", both.clone()), Some(json!({"a": "#fff", "b": "x"})));
    assert_eq!(listed("[ #fff, #000 ]", string()), Some(json!(["#fff", "#000"])));
    assert_eq!(read("{\"a\": # why\n\"x\"}", both.clone()), Some(json!({"a": "x"})));
    assert_eq!(read("{\"a\": #why\n\"x\"}", both), None);
}

#[test]
fn a_half_quoted_text_is_not_a_string() {
    let both = json!({"a": string(), "b": string()});
    for text in [
        "{\"a\": see \"notes\", \"b\": \"y\"}",
        "{\"a\": null or \"x\"}",
        "{\"a\": not \"x\"}",
        "{\"a\": not 'x'}",
        "{\"a\": either \"x\" or \"y\", \"b\": \"z\"}",
        "{\"a\": y + \"x\", \"b\": \"z\"}",
        "{\"a\": \"{}\".format(y), \"b\": \"z\"}",
    ] {
        assert_eq!(read(text, both.clone()), None, "{text}");
    }
    assert_eq!(listed("[\"x\", maybe \"y\"]", string()), None);
    assert_eq!(read("{\"a\": see notes\", \"b\": \"y\"}", both), Some(json!({"a": "see notes", "b": "y"})));
}

#[test]
fn null_omits_an_optional_property() {
    let of = |choice: Value| json!({"a": string(), "b": choice});
    for choice in [
        json!({"enum": ["p", "q"]}),
        json!({"type": "string", "enum": ["p", "q"]}),
        json!({"const": "p"}),
        json!({"type": "string", "not": {"type": "null"}}),
        json!({"anyOf": [{"const": "p"}, {"type": "integer"}]}),
    ] {
        for text in ["{\"a\": \"x\", \"b\": null}", "{'a': 'x', 'b': None}"] {
            assert_eq!(read(text, of(choice.clone())), Some(json!({"a": "x"})), "{text} {choice}");
        }
    }
    for choice in [json!({"enum": ["None", "q"]}), json!({"const": "null"})] {
        assert_eq!(read("{\"a\": \"x\", \"b\": null}", of(choice.clone())), None, "{choice}");
    }
}

#[test]
fn a_wrapper_inside_a_closed_object_is_opened() {
    let person = |required: Value| {
        json!({"person": {
            "type": "object", "additionalProperties": false, "required": required,
            "properties": {"name": string(), "age": number()},
        }})
    };
    let text = "{\"person\": {\"output\": {\"name\": \"x\", \"age\": 1}}}";
    for required in [json!(["name", "age"]), json!([])] {
        assert_eq!(read(text, person(required)), Some(json!({"person": {"name": "x", "age": 1}})));
    }
    let text = "{\"person\": {\"json\": \"{\\\"name\\\": \\\"x\\\", \\\"age\\\": 1}\"}}";
    assert_eq!(read(text, person(json!(["name"]))), Some(json!({"person": {"name": "x", "age": 1}})));
    for text in [
        "{\"person\": {\"data\": {\"name\": \"x\", \"age\": 1}}}",
        "{\"person\": {\"output\": {}}}",
        "{\"person\": {\"output\": {\"name\": \"x\"}, \"more\": 1}}",
        "{\"person\": {\"output\": {\"size\": 1}}}",
    ] {
        assert_eq!(read(text, person(json!([]))), None, "{text}");
    }
}
