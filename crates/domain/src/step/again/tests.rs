use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use utoipa::PartialSchema as _;

use super::Rule::{AsText, Drop, IfAnswered, Keep, StartOver, UnlessEnd, WithAnswer, WithResult};
use super::*;

const WAYS: [Way; 4] = [Way::Redelivery, Way::Fork, Way::Retry, Way::Move];

fn usage() -> Value {
    json!({"input_tokens": 1, "output_tokens": 1, "cost_usd": null})
}

fn answer(calls: &[&str]) -> Value {
    let calls: Vec<Value> =
        calls.iter().map(|id| json!({"id": id, "name": "pay", "arguments": "{}"})).collect();
    json!({"type": "model_answer", "text": "t", "calls": calls, "ending": "finished", "model": "m", "usage": usage()})
}

fn turn() -> Value {
    json!({"type": "turn_answer", "text": "t", "ending": "finished", "model": "m", "usage": usage()})
}

fn failed() -> Value {
    json!({"type": "request_failed", "error": "failed", "message": "m", "usage": usage()})
}

fn verdict(outcome: &str) -> Value {
    json!({"type": "verdict", "delivery": 1, "attempt": 1, "outcome": outcome})
}

fn started(id: &str) -> Value {
    json!({"type": "tool_started", "call_id": id})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_result", "call_id": id, "name": "pay", "ok": true, "text": "paid"})
}

fn input(id: &str) -> Value {
    let tool = json!({"name": "pay", "arguments": {}});
    let answer = json!({"approve": true});
    json!({"type": "input", "input_id": "inp_1", "call_id": id, "purpose": "approval", "tool": tool, "answer": answer})
}

/// A call of the caller's tool, which the caller answered.
fn called_back(id: &str) -> Value {
    let tool = json!({"name": "pay", "arguments": {}});
    json!({"type": "input", "input_id": "inp_2", "call_id": id, "purpose": "tool_call", "tool": tool, "answer": "paid"})
}

fn message(text: &str) -> Value {
    json!({"type": "message", "text": text})
}

fn conversation(host: &str) -> Value {
    json!({"type": "conversation", "conversation": {"id": 1}, "host": host})
}

fn opened() -> Value {
    json!({"type": "opened", "facts": []})
}

fn restarted() -> Value {
    json!({"type": "restarted", "reason": "r"})
}

fn steps(bodies: &[Value]) -> Vec<Step> {
    let step = |(number, body): (u32, &Value)| Step {
        number,
        delivery: 1,
        at: Timestamp::UNIX_EPOCH + SignedDuration::from_secs(number.into()),
        body: serde_json::from_value(body.clone()).unwrap(),
    };
    (1..).zip(bodies).map(step).collect()
}

fn numbers(bodies: &[Value], way: Way, until: Until) -> Vec<u32> {
    carried(&steps(bodies), way, until).iter().map(|step| step.number).collect()
}

#[test]
fn every_kind_of_step_has_a_rule_for_every_way() {
    let table = [
        (opened(), [Keep, Keep, Drop, Keep]),
        (answer(&[]), [Keep, UnlessEnd, Drop, Keep]),
        (failed(), [Keep, IfAnswered, Drop, IfAnswered]),
        (started("1"), [Keep, WithResult, Drop, Keep]),
        (result("1"), [Keep, Keep, Drop, Keep]),
        (conversation("h"), [Keep, AsText, Drop, Keep]),
        (turn(), [Keep, UnlessEnd, Drop, Keep]),
        (verdict("accepted"), [Keep, WithAnswer, Drop, WithAnswer]),
        (message("t"), [Keep, Keep, Drop, Keep]),
        (input("1/1"), [Keep, WithResult, Drop, Keep]),
        (called_back("1/1"), [Keep, WithResult, Drop, Keep]),
        (restarted(), [StartOver, StartOver, Drop, StartOver]),
    ];
    let schema = serde_json::to_value(Body::schema()).unwrap();
    let kinds = schema["oneOf"].as_array().unwrap().iter();
    let kinds: BTreeSet<String> =
        kinds.map(|kind| kind["properties"]["type"]["enum"][0].as_str().unwrap().to_owned()).collect();
    let rows: BTreeSet<String> =
        table.iter().map(|(body, _)| body["type"].as_str().unwrap().to_owned()).collect();
    assert_eq!(rows, kinds, "a row for each kind");
    for (body, rules) in table {
        let typed: Body = serde_json::from_value(body).unwrap();
        assert_eq!(WAYS.map(|way| rule(&typed, way)), rules, "{}", typed.kind());
    }
}

/// The steps that are kept of each record, by redelivery, fork from its last step, the same after the run has ended, retry and move.
#[test]
fn what_is_kept_of_a_record() {
    let all = |count: u32| (1..=count).collect::<Vec<u32>>();
    let call = || answer(&["c"]);
    for (name, record, fork, ended, moved) in [
        ("nothing", vec![], vec![], vec![], vec![]),
        ("a call", vec![opened(), call()], all(2), all(2), all(2)),
        ("an unused approval", vec![call(), input("1/c")], vec![1], vec![1], all(2)),
        (
            "an answer of the caller that was not used",
            vec![call(), called_back("1/c")],
            vec![1],
            vec![1],
            all(2),
        ),
        (
            "an answer of the caller, used",
            vec![call(), called_back("1/c"), result("c")],
            all(3),
            all(3),
            all(3),
        ),
        (
            "two calls of the caller's tools, one of them used",
            vec![answer(&["a", "b"]), called_back("1/a"), called_back("1/b"), result("a")],
            vec![1, 2, 4],
            vec![1, 2, 4],
            all(4),
        ),
        (
            "an approved call that had started",
            vec![call(), input("1/c"), started("c")],
            vec![1],
            vec![1],
            all(3),
        ),
        (
            "an approved call with its result",
            vec![call(), input("1/c"), started("c"), result("c")],
            all(4),
            all(4),
            all(4),
        ),
        (
            "an approval of a later call with the same id",
            vec![call(), result("c"), call(), input("3/c"), started("c")],
            vec![1, 2, 3],
            vec![1, 2, 3],
            all(5),
        ),
        (
            "an approval that was followed by another answer",
            vec![call(), input("1/c"), answer(&["c"]), result("c")],
            vec![1, 3, 4],
            vec![1, 3, 4],
            all(4),
        ),
        (
            "two calls, one of them done",
            vec![answer(&["a", "b"]), input("1/b"), started("a"), result("a")],
            vec![1, 3, 4],
            vec![1, 3, 4],
            all(4),
        ),
        (
            "an approval of a program's call",
            vec![conversation("h"), input("x"), conversation("h"), started("x"), turn()],
            vec![1, 3, 5],
            vec![1, 3],
            all(5),
        ),
        ("an answer", vec![answer(&[])], vec![1], vec![], vec![1]),
        ("a turn", vec![conversation("h"), turn()], all(2), vec![1], all(2)),
        ("a rejected answer", vec![answer(&[]), verdict("no_json")], all(2), vec![], all(2)),
        (
            "a second rejected answer",
            vec![answer(&[]), verdict("no_json"), answer(&[]), verdict("no_json")],
            all(4),
            vec![1, 2],
            all(4),
        ),
        (
            "a submission next to a call",
            vec![answer(&["c", "submit"]), started("c"), result("c"), verdict("schema_invalid")],
            all(4),
            vec![],
            all(4),
        ),
        (
            "a failed request",
            vec![call(), result("c"), failed(), verdict("failed")],
            vec![1, 2],
            vec![1, 2],
            vec![1, 2],
        ),
        (
            "failed requests before an answer",
            vec![failed(), verdict("schema_rejected"), answer(&[]), verdict("no_json")],
            all(4),
            vec![],
            all(4),
        ),
        ("an answer that waits", vec![answer(&[]), verdict("waiting")], all(2), vec![], all(2)),
        (
            "an answer that has waited",
            vec![answer(&[]), verdict("waiting"), message("m")],
            all(3),
            all(3),
            all(3),
        ),
        (
            "a restart",
            vec![call(), restarted(), answer(&[]), verdict("no_json"), answer(&[])],
            vec![3, 4, 5],
            vec![3, 4],
            vec![3, 4, 5],
        ),
    ] {
        let count = u32::try_from(record.len()).unwrap();
        let current = if name == "a restart" { vec![3, 4, 5] } else { all(count) };
        for (way, until, expected) in [
            (Way::Redelivery, Until::Step, current),
            (Way::Fork, Until::Step, fork),
            (Way::Fork, Until::End, ended),
            (Way::Retry, Until::End, vec![]),
            (Way::Move, Until::Step, moved),
        ] {
            assert_eq!(numbers(&record, way, until), expected, "{name}: {way:?} {until:?}");
        }
    }
}

#[test]
fn a_fork_does_not_continue_the_conversation_of_a_program() {
    let mut resumed = turn();
    resumed["conversation"] = json!({"id": 1});
    let kept = carried(&steps(&[conversation("here"), turn(), resumed.clone()]), Way::Fork, Until::Step);
    let bodies: Vec<Value> = kept.iter().map(|step| serde_json::to_value(&step.body).unwrap()).collect();
    let of = |value: Value| serde_json::to_value(serde_json::from_value::<Body>(value).unwrap()).unwrap();
    assert_eq!(bodies, [conversation(""), turn(), conversation(""), turn()].map(of));
    let kept = carried(&steps(std::slice::from_ref(&resumed)), Way::Redelivery, Until::Step);
    assert_eq!(kept, steps(&[resumed]));
}

#[test]
fn children_are_unreported_until_a_message_names_them() {
    let record =
        steps(&[answer(&["c"]), result("c"), answer(&[]), verdict("waiting"), message("ses_1 ended")]);
    let at = |second: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second);
    let children = [("1", 2), ("2", 2), ("3", 9)].map(|(id, second)| (SessionId::new(id), at(second)));
    let of = |steps: &[Step]| -> Vec<(String, u32)> {
        unreported(steps, &children).into_iter().map(|(id, step)| (id.to_string(), step)).collect()
    };
    assert_eq!(of(&record[..1]), []);
    assert_eq!(of(&record[..3]), [("ses_1".to_owned(), 2), ("ses_2".to_owned(), 2)]);
    assert_eq!(of(&record), [("ses_2".to_owned(), 2)]);
}
