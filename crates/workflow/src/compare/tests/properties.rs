//! Properties of any siblings.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn entry() -> impl Strategy<Value = Value> {
    let file = prop_oneof![Just("a.rs"), Just("./a.rs"), Just("b.rs"), Just("ü/c.rs")];
    let line = prop_oneof![
        (1_u64..8).prop_map(Value::from),
        (1_u64..8).prop_map(|line| json!(line.to_string())),
        (1_u64..5, 1_u64..8).prop_map(|(first, last)| json!(format!("{first}-{last}"))),
        Just(Value::Null),
    ];
    let severity = prop_oneof![Just("blocker"), Just("major"), Just("nit"), Just("ok")];
    let text = prop_oneof![
        Just("Missing doc comment"),
        Just("Doc comment is missing"),
        Just("SQL injection in the login query"),
        Just("The login query allows SQL injection"),
        Just("日本語の説明"),
    ];
    (file, line, severity, text).prop_map(|(file, line, severity, text)| {
        json!({"file": file, "line": line, "severity": severity, "description": text})
    })
}

fn output() -> impl Strategy<Value = Value> {
    let list = || prop::collection::vec(entry(), 0..8);
    (list(), list()).prop_map(|(findings, praise)| json!({"findings": findings, "praise": praise}))
}

fn named(outputs: Vec<Value>) -> Vec<(&'static str, Value)> {
    ["a", "b", "c", "d"].into_iter().zip(outputs).collect()
}

fn sides(found: &Comparison) -> Vec<&Side> {
    let contradictions = found.contradictions.iter().flat_map(|each| &each.sides);
    let near = found.near_duplicates.iter().flat_map(|each| &each.sides);
    let agreements = found.agreements.iter().flat_map(|each| &each.sides);
    contradictions.chain(near).chain(agreements).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn the_order_of_siblings_does_not_matter(outputs in prop::collection::vec(output(), 1..5), turn in 0_usize..5) {
        let outputs = named(outputs);
        let mut turned = outputs.clone();
        turned.rotate_left(turn % outputs.len());
        turned.reverse();
        prop_assert_eq!(compared(&outputs), compared(&turned));
    }

    #[test]
    fn nothing_is_invented(outputs in prop::collection::vec(output(), 1..5)) {
        let outputs = named(outputs);
        let found = compared(&outputs);
        for side in sides(&found) {
            let (_, output) = outputs.iter().find(|(agent, _)| *agent == side.agent).unwrap();
            let entry = output.pointer(&side.pointer).unwrap();
            prop_assert_eq!(entry["description"].as_str(), side.text.as_deref());
            let is_praise = side.pointer.starts_with("/praise");
            prop_assert!(entry["severity"] == side.value || is_praise && side.value == "praise");
        }
        for group in &found.near_duplicates {
            let agents: BTreeSet<&str> = group.sides.iter().map(|side| side.agent.as_str()).collect();
            prop_assert!(agents.len() > 1);
        }
        let all: Vec<(&str, &str)> = found.near_duplicates.iter().flat_map(|group| &group.sides)
            .map(|side| (side.agent.as_str(), side.pointer.as_str())).collect();
        prop_assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "one group for each entry");
    }

    #[test]
    fn a_contradiction_has_two_agents_and_two_values(outputs in prop::collection::vec(output(), 1..5)) {
        for contradiction in compared(&named(outputs)).contradictions {
            let agents: BTreeSet<&str> = contradiction.sides.iter().map(|side| side.agent.as_str()).collect();
            let values: BTreeSet<String> = contradiction.sides.iter().map(|side| side.value.to_string()).collect();
            prop_assert!(agents.len() > 1 && values.len() > 1, "{:?}", contradiction);
        }
    }

    /// A copy of a sibling adds no contradiction that the original did not have. It may contradict the original only by
    /// clearing what it also flags. If a sibling repeats an entry, its copy may be matched with either of them.
    #[test]
    fn an_identical_sibling_adds_no_contradiction(outputs in prop::collection::vec(output(), 1..4)) {
        let outputs: Vec<Value> = outputs.into_iter().map(without_clearings).map(each_thing_once).collect();
        let before = compared(&named(outputs.clone()));
        let twin = outputs[0].clone();
        let mut with_twin = named(outputs);
        with_twin.push(("twin", twin));
        prop_assert_eq!(keys(&compared(&with_twin).contradictions), keys(&before.contradictions));
    }

    /// Models are often a few lines off.
    #[test]
    fn a_finding_a_few_lines_away_still_contradicts(line in 4_u64..1_000, shift in -3_i64..=3, clears in any::<bool>(),
        others in output()) {
        let shifted = line.saturating_add_signed(shift);
        let flag = findings(&[finding("z.rs", line, "blocker", "The login query allows SQL injection")]);
        let other = match clears {
            true => json!({"cleared": [{"file": "./z.rs", "line": shifted, "description": "Missing doc comment"}]}),
            false => findings(&[finding("./z.rs", shifted, "nit", "SQL injection in the login query")]),
        };
        let found = compared(&[("a", flag), ("b", other), ("c", others)]);
        let here = found.contradictions.iter().filter(|each| each.key["file"] == "z.rs");
        prop_assert_eq!(here.map(|each| each.sides.len()).collect::<Vec<_>>(), [2]);
    }

    /// Remarks about different things do not contradict each other, however close they are, unless
    /// a place is cleared or they are on one line.
    #[test]
    fn unrelated_remarks_stay_unrelated(lines in prop::collection::vec(1_u64..20, 1..8)) {
        let of = |offset: u64, severity: &str, text: &str| {
            let one = |line: &u64| finding("a.rs", *line * 3 + offset, severity, text);
            findings(&lines.iter().map(one).collect::<Vec<_>>())
        };
        let found = compared(&[
            ("a", of(0, "nit", "Missing doc comment")),
            ("b", of(1, "blocker", "SQL injection in the login query")),
            ("c", of(2, "major", "The file handle leaks")),
        ]);
        prop_assert_eq!(found, Comparison::default());
    }

    /// Whatever is said, and whoever is named first.
    #[test]
    fn different_severities_on_one_line_always_contradict(texts in prop::collection::vec(".{0,40}", 2..5),
        severities in prop::collection::vec(prop::sample::select(vec!["blocker", "major", "nit"]), 5),
        line in 1_u64..50, turn in 0_usize..4, others in output()) {
        const NAMES: [&str; 4] = ["a", "b", "c", "d"];
        let mut outputs: Vec<(&str, Value)> = texts.iter().zip(&severities).zip(NAMES)
            .map(|((text, severity), name)| (name, findings(&[finding("z.rs", line, severity, text)])))
            .collect();
        outputs.push(("others", others));
        let differ = severities[..texts.len()].iter().collect::<BTreeSet<_>>().len() > 1;
        let found = compared(&outputs);
        outputs.rotate_left(turn);
        prop_assert_eq!(&compared(&outputs), &found);
        let here: Vec<_> = found.contradictions.iter().filter(|each| each.key["file"] == "z.rs").collect();
        prop_assert_eq!(here.len(), usize::from(differ), "{:?}", here);
        for contradiction in here {
            prop_assert_eq!(contradiction.sides.len(), texts.len());
        }
    }

    #[test]
    fn every_near_duplicate_is_in_a_group(outputs in prop::collection::vec(output(), 2..4)) {
        let outputs: Vec<(&str, Value)> = named(outputs.into_iter().map(without_clearings).collect());
        let found = compared(&outputs);
        let grouped: BTreeSet<(&str, &str)> = found.near_duplicates.iter().flat_map(|group| &group.sides)
            .map(|side| (side.agent.as_str(), side.text.as_deref().unwrap())).collect();
        for contradiction in &found.contradictions {
            for side in &contradiction.sides {
                let text = side.text.as_deref().unwrap();
                let said_by_another = contradiction.sides.iter()
                    .any(|other| other.agent != side.agent && other.text.as_deref() == Some(text));
                prop_assert!(!said_by_another || grouped.contains(&(side.agent.as_str(), text)));
            }
        }
    }
}

fn without_clearings(mut output: Value) -> Value {
    output["praise"] = json!([]);
    let findings = output["findings"].as_array_mut().unwrap();
    findings.retain(|entry| entry["severity"] != "ok");
    output
}

/// One finding on each of the subjects in each file.
fn each_thing_once(mut output: Value) -> Value {
    let mut known = BTreeSet::new();
    let findings = output["findings"].as_array_mut().unwrap();
    findings.retain(|entry| {
        let file = entry["file"].as_str().unwrap().trim_start_matches("./").to_owned();
        let text = entry["description"].as_str().unwrap().to_lowercase();
        let subject = ["comment", "sql"].into_iter().find(|word| text.contains(word));
        known.insert((file, subject))
    });
    output
}
