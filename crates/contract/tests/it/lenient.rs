//! What repairs of damaged text keep: every word and digit that was written, or nothing at all.

use accord_contract::{Answer, Contract, Mode, Outcome, Verdict, judge};
use serde_json::{Value, json};

use crate::judging::{contract, value};

fn lenient(document: &Value) -> Contract {
    contract(document, Mode::Lenient)
}

/// What a text is read as where each of its members, all optional, has one of these schemas.
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

/// What a text is read as where a list of such items is asked.
fn listed(text: &str, item: Value) -> Option<Value> {
    match judge(&Answer::text(text), &lenient(&json!({"type": "array", "items": item}))) {
        Verdict::Accepted(accepted) => Some(accepted.value),
        Verdict::Rejected(_) => None,
    }
}

#[test]
fn where_backslashes_were_not_doubled_no_other_is_taken_for_an_escape() {
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
        (r"C:\Users\0\vera", r"C:\Users\0\vera"),
        (r"\alpha \epsilon", r"\alpha \epsilon"),
        (r"^\w+@\w+\.com$", r"^\w+@\w+\.com$"),
        (r"\s*\(\d\)\1", r"\s*\(\d\)\1"),
        (r"C:\\Users\Ann", r"C:\Users\Ann"),
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
        "[\"x\"; \"y\"]",
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
    for written in [
        "say \"a\" or \"b\"",
        "a 15\" screen",
        "the \"best, of\" all",
        "v\"alue",
        "使用\"A\"、\"B\"两种",
        "他说\"你好\"。",
    ] {
        let text = format!("{{\"a\": \"{written}\", \"b\": \"z\"}}");
        let expected = json!({"a": written, "b": "z"});
        assert_eq!(read(&text, json!({"a": string(), "b": string()})), Some(expected), "{text}");
    }
}

#[test]
fn values_that_may_stand_for_each_other_are_no_list() {
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
    ] {
        let contract = lenient(&json!({"type": "array", "items": item}));
        let Verdict::Rejected(rejected) = judge(&Answer::text(text), &contract) else { panic!("{text}") };
        assert_eq!(rejected.outcome, Outcome::Ambiguous, "{text}");
    }
    for text in [
        "{\"n\": 1}\n{\"n\": 2}",
        "First object: {\"n\": 1}\nSecond object: {\"n\": 2}",
        "1. {\"n\": 1}\n2. {\"n\": 2}",
        "```json\n{\"n\": 1}\n```\n\n### Item 2\n```json\n{\"n\": 2}\n```",
        "<item>{\"n\": 1}</item> and <item>{\"n\": 2}</item>",
        "Here is my answer:\n{\"n\": 1}\n{\"n\": 2}\nLet me know if anything else is wrong.",
        "Bestellung: {\"n\": 1}\nBestellung: {\"n\": 2}",
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
fn the_letter_before_a_string_of_python_is_no_part_of_it() {
    let both = json!({"a": string(), "b": string()});
    for text in ["{'a': u'x', 'b': u'y'}", "{u'a': u'x', u'b': u'y'}", "{\"a\": u\"x\", \"b\": U\"y\"}"] {
        assert_eq!(read(text, both.clone()), Some(json!({"a": "x", "b": "y"})), "{text}");
    }
    assert_eq!(listed("[u'x', u'']", string()), Some(json!(["x", ""])));
    for text in ["{'a': b'x'}", "{'a': r'x'}", "{'a': f'{name} x'}", "{'a': Rb\"x\"}", "{b'a': 'x'}"] {
        assert_eq!(read(text, both.clone()), None, "{text}");
    }
    assert_eq!(read("{\"a\": b\", \"b\": \"y\"}", both), Some(json!({"a": "b", "b": "y"})));
}

#[test]
fn a_colon_before_a_word_is_not_dropped() {
    let both = json!({"a": string(), "b": string()});
    for text in
        ["{\"a\": ::1}", "{\"a\": :smile:, \"b\": \"x\"}", "{\"a\": ::ffff:1.2.3.4}", "{\"a\": : : x}"]
    {
        assert_eq!(read(text, both.clone()), None, "{text}");
    }
    for text in ["{\"a\":: \"x\"}", "{\"a\"::\"x\"}", "{\"a\" : : x}"] {
        assert_eq!(read(text, both.clone()), Some(json!({"a": "x"})), "{text}");
    }
}

#[test]
fn what_says_that_it_is_not_the_answer_is_none() {
    for text in [
        "[\"x\",\n// ... 97 more items ...\n\"y\"]",
        "[\"x\", \"y\", // \u{2026}\n]",
        "[\"x\", /* ... */ \"y\"]",
        "[\"x\", \"y\" # ...\n]",
        "[\"x\", y // ...\n]",
        "[\"x\", \"y\", etc]",
        "[\"x\", \"y\", etc.]",
        "[\"x\", \"y\", and more]",
        "[\"x\", \"y\", (5 more)]",
        "[\"x\", \"y\", and 5 others]",
        "[\"x\", \"y\", + 3 more users]",
        "[\"x\", \"y\", usw.]",
        "[\"x\", \"y\", ..]",
        "[\"x\", \"y\",\n  // rest omitted\n]",
        "[\"x\", \"y\"\n  // more items here\n]",
        "[\"x\", \"y\", /* 97 more */]",
        "[\"x\",\n  // 97 more\n \"y\"]",
        "[\"x\", \"y\", // etc.\n]",
        "[\"x\", \"y\",\n  # repeat for each user\n]",
        "[\"x\", \"y\", /* 省略 */]",
    ] {
        assert_eq!(listed(text, string()), None, "{text}");
    }
    for text in [
        "[\"x\", \"y\", // no more\n]",
        "[\"x\", \"y\", // more important\n]",
        "[\n// other letters\n\"x\",\n// the rest\n\"y\"]",
        "[\"x\", // first\n\"y\" // last one\n]",
    ] {
        assert_eq!(listed(text, string()), Some(json!(["x", "y"])), "{text}");
    }
    for text in
        ["{\"a\": <your answer here>}", "{a: string}", "{a: string;}", "{a: string | null}", "{a: string[]}"]
    {
        assert_eq!(read(text, json!({"a": string()})), None, "{text}");
    }
    for (text, expected) in [
        ("{a: <b>x</b>}", "<b>x</b>"),
        ("{a: string theory}", "string theory"),
        ("{a: x, // and so on\n}", "x"),
        ("{a: wait... what}", "wait... what"),
    ] {
        assert_eq!(read(text, json!({"a": string()})), Some(json!({"a": expected})), "{text}");
    }
}

#[test]
fn what_looks_like_a_comment_may_be_a_colour() {
    let both = json!({"a": string(), "b": string()});
    assert_eq!(read("{\"a\": #fff, \"b\": \"x\"}", both.clone()), Some(json!({"a": "#fff", "b": "x"})));
    assert_eq!(listed("[ #fff, #000 ]", string()), Some(json!(["#fff", "#000"])));
    assert_eq!(read("{\"a\": # why\n\"x\"}", both.clone()), Some(json!({"a": "x"})));
    assert_eq!(read("{\"a\": #why\n\"x\"}", both), None);
}

#[test]
fn marks_of_direction_and_old_white_space_are_space() {
    for space in ['\u{b}', '\u{c}', '\u{85}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{202a}', '\u{2069}'] {
        let text = format!("{{{space}\"a\":{space} \"x{space}\"{space}}}");
        assert_eq!(read(&text, json!({"a": string()})), Some(json!({"a": format!("x{space}")})), "{text:?}");
    }
}

#[test]
fn half_a_quotation_is_no_string() {
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
    for (text, expected) in [
        ("{\"a\": see notes\", \"b\": \"y\"}", json!({"a": "see notes", "b": "y"})),
        ("{\"a\": say \"x\" now\", \"b\": \"y\"}", json!({"a": "say \"x\" now", "b": "y"})),
        ("{\"a\": say \"x\" now, \"b\": \"y\"}", json!({"a": "say \"x\" now", "b": "y"})),
    ] {
        assert_eq!(read(text, both.clone()), Some(expected), "{text}");
    }
}

#[test]
fn a_colon_inside_the_marks_of_a_key_is_not_in_its_name() {
    let both = json!({"a": string(), "b": number()});
    for text in ["{\"a:\" \"x\", \"b:\" 1}", "{'a:' 'x', 'b:' 1}", "{\"a:\"x\", \"b\": 1}"] {
        assert_eq!(read(text, both.clone()), Some(json!({"a": "x", "b": 1})), "{text}");
    }
}

#[test]
fn code_and_templates_are_no_strings() {
    for written in [
        "now()",
        "datetime.now().isoformat()",
        "rows[0]",
        "env[\"HOME\"]",
        "${name}",
        "%s",
        "`Os${x}lo`",
        "|\n  x\n  y\n",
        "|-\n  x\n",
        ">2\n  x\n",
        "!!str x",
        "&id x",
        "*id",
        "(see above)",
    ] {
        let text = format!("{{\"a\": {written}, \"b\": 1}}");
        assert_eq!(read(&text, json!({"a": string(), "b": number()})), None, "{text}");
        let text = format!("{{\"a\": {written}}}");
        assert_eq!(read(&text, json!({"a": string()})), None, "{text}");
    }
    for written in ["This is f(3)", "run now() twice", "$5", "100%", "*x*", "R&D x", "> 5"] {
        let text = format!("{{\"a\": {written}}}");
        assert_eq!(read(&text, json!({"a": string()})), Some(json!({"a": written})), "{text}");
    }
}

#[test]
fn null_says_that_an_optional_choice_is_absent() {
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
    let text = "{\"person\": {\"data\": {\"name\": \"x\", \"age\": 1}}}";
    for required in [json!(["name", "age"]), json!([])] {
        assert_eq!(read(text, person(required)), Some(json!({"person": {"name": "x", "age": 1}})));
    }
    let text = "{\"person\": {\"json\": \"{\\\"name\\\": \\\"x\\\", \\\"age\\\": 1}\"}}";
    assert_eq!(read(text, person(json!(["name"]))), Some(json!({"person": {"name": "x", "age": 1}})));
    for text in [
        "{\"person\": {\"data\": {}}}",
        "{\"person\": {\"data\": {\"name\": \"x\"}, \"more\": 1}}",
        "{\"person\": {\"data\": {\"size\": 1}}}",
    ] {
        assert_eq!(read(text, person(json!([]))), None, "{text}");
    }
}
