//! The plan that a planner must return: subtasks for agents, and their dependencies.
//!
//! Its schema and rules are the planner's contract, so an invalid plan is re-prompted like every other answer. Cycles, which
//! rules cannot express, are found by [`check`].

use std::collections::{HashMap, HashSet};
use std::fmt;

use accord_contract::Decimal;
use accord_domain::contract::Invariant;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Number, Value, json};

use crate::limits::MOST_SUBTASKS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub subtasks: Vec<Subtask>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subtask {
    pub id: String,
    pub description: String,
    pub agent: String,
    /// The ids of the subtasks whose results it needs.
    pub dependencies: Vec<String>,
    /// Higher priorities run first.
    #[serde(deserialize_with = "whole")]
    pub priority: i32,
}

/// An integer in any spelling: `1.0` is one to a schema.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
    let number = Number::deserialize(deserializer)?;
    let whole = Decimal::of_number(&number).and_then(|decimal| decimal.whole());
    let invalid = || D::Error::custom(format!("expected an integer priority, got {number}"));
    whole.and_then(|whole| i32::try_from(whole).ok()).ok_or_else(invalid)
}

pub(crate) fn schema(agents: &[String]) -> Value {
    json!({
        "type": "object",
        "required": ["subtasks"],
        "additionalProperties": false,
        "properties": {
            "subtasks": {
                "type": "array",
                "minItems": 1,
                "maxItems": MOST_SUBTASKS,
                "items": {
                    "type": "object",
                    "required": ["id", "description", "agent", "dependencies", "priority"],
                    "additionalProperties": false,
                    "properties": {
                        "id": {"type": "string", "minLength": 1, "maxLength": 64},
                        "description": {
                            "type": "string",
                            "minLength": 1,
                            "description": "The complete task: the agent sees this and the results of the dependencies",
                        },
                        "agent": {"type": "string", "enum": agents},
                        "dependencies": {
                            "type": "array",
                            "items": {"type": "string"},
                            "description": "The ids of the subtasks whose results this one needs",
                        },
                        "priority": {
                            "type": "integer",
                            "minimum": 0,
                            "maximum": 100,
                            "description": "Higher priorities run first",
                        },
                    },
                },
            },
        },
    })
}

pub(crate) fn invariants() -> Vec<Invariant> {
    let rule = |rule: &str, message: &str| Invariant { rule: rule.to_owned(), message: message.to_owned() };
    vec![
        rule(
            "output.subtasks.all(s, output.subtasks.exists_one(o, o.id == s.id))",
            "every subtask must have a unique id",
        ),
        rule(
            "output.subtasks.all(s, s.dependencies.all(d, d != s.id && output.subtasks.exists(o, o.id == d)))",
            "dependencies must be the ids of other subtasks of the plan",
        ),
    ]
}

/// What is wrong with a plan, for the planner to correct.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PlanError(String);

impl std::error::Error for PlanError {}

impl fmt::Display for PlanError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

pub(crate) fn read(value: &Value, agents: &[String]) -> Result<Plan, PlanError> {
    let plan: Plan = serde_json::from_value(value.clone()).map_err(|error| PlanError(error.to_string()))?;
    check(&plan, agents)?;
    Ok(plan)
}

fn check(plan: &Plan, agents: &[String]) -> Result<(), PlanError> {
    let mut ids = HashSet::new();
    for subtask in &plan.subtasks {
        if !ids.insert(subtask.id.as_str()) {
            return Err(PlanError(format!("two subtasks have the id '{}'", subtask.id)));
        }
        if !agents.contains(&subtask.agent) {
            let known = agents.join(", ");
            return Err(PlanError(format!(
                "subtask '{}' is assigned to unknown agent '{}'; expected one of {known}",
                subtask.id, subtask.agent
            )));
        }
    }
    for subtask in &plan.subtasks {
        if let Some(unknown) = subtask.dependencies.iter().find(|id| !ids.contains(id.as_str())) {
            return Err(PlanError(format!(
                "subtask '{}' depends on '{unknown}', which is not in the plan",
                subtask.id
            )));
        }
    }
    check_cycles(plan)
}

/// Removes subtasks without dependencies until none is left; what remains is a cycle.
fn check_cycles(plan: &Plan) -> Result<(), PlanError> {
    let mut waits: HashMap<&str, HashSet<&str>> = plan
        .subtasks
        .iter()
        .map(|subtask| (subtask.id.as_str(), subtask.dependencies.iter().map(String::as_str).collect()))
        .collect();
    loop {
        let free: Vec<&str> =
            waits.iter().filter(|(_, dependencies)| dependencies.is_empty()).map(|(id, _)| *id).collect();
        if free.is_empty() {
            break;
        }
        for id in &free {
            waits.remove(id);
        }
        for dependencies in waits.values_mut() {
            dependencies.retain(|id| !free.contains(id));
        }
    }
    let mut left: Vec<&str> = waits.into_keys().collect();
    left.sort_unstable();
    match left.is_empty() {
        true => Ok(()),
        false => Err(PlanError(format!("circular dependency between subtasks: {}", left.join(", ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use accord_contract::Meter;

    fn plan(subtasks: &[(&str, &[&str])]) -> Value {
        let subtasks: Vec<Value> = subtasks
            .iter()
            .map(|(id, dependencies)| {
                json!({"id": id, "description": "do", "agent": "a", "dependencies": dependencies, "priority": 1})
            })
            .collect();
        json!({"subtasks": subtasks})
    }

    #[test]
    fn reads_a_valid_plan() {
        let agents = ["a".to_owned()];
        let value = plan(&[("1", &["2"]), ("2", &[])]);
        assert!(read(&value, &agents, &Meter::default()).is_ok());
        let compiled = accord_contract::Schema::compile(&schema(&agents), &Meter::default()).unwrap();
        assert!(compiled.accepts(&value, &Meter::default()));
    }

    #[test]
    fn priority_is_an_integer_in_any_spelling() {
        for (written, priority) in
            [("1", Some(1)), ("1.0", Some(1)), ("1e1", Some(10)), ("1.5", None), ("1e99", None)]
        {
            let mut value = plan(&[("1", &[])]);
            value["subtasks"][0]["priority"] = serde_json::from_str(written).unwrap();
            let plan = read(&value, &["a".to_owned()], &Meter::default());
            assert_eq!(plan.ok().map(|plan| plan.subtasks[0].priority), priority, "{written}");
        }
    }

    #[test]
    fn rejects_plans_that_cannot_be_carried_out() {
        let of = |subtasks: &[(&str, &[&str])]| read(&plan(subtasks), &["a".to_owned()], &Meter::default());
        let circle = "circular dependency between subtasks: 1, 2";
        assert_eq!(of(&[("1", &["2"]), ("2", &["1"]), ("3", &[])]), Err(PlanError(circle.to_owned())));
        assert_eq!(of(&[("1", &[]), ("1", &[])]), Err(PlanError("two subtasks have the id '1'".to_owned())));
        let unknown = "subtask '1' depends on '9', which is not in the plan";
        assert_eq!(of(&[("1", &["9"])]), Err(PlanError(unknown.to_owned())));
        let other = read(&plan(&[("1", &[])]), &["b".to_owned()], &Meter::default());
        let unknown = "subtask '1' is assigned to unknown agent 'a'; expected one of b";
        assert_eq!(other, Err(PlanError(unknown.to_owned())));
    }

    #[test]
    fn contract_rules_agree_with_the_reader() {
        let rules: Vec<accord_contract::Invariant> = invariants()
            .into_iter()
            .map(|each| accord_contract::Invariant { rule: each.rule, message: each.message })
            .collect();
        let rules = accord_contract::Invariants::compile(&rules).unwrap();
        let broken = |value: Value| rules.check(&value, &Value::Null).len();
        assert_eq!(broken(plan(&[("1", &["2"]), ("2", &[])])), 0);
        assert_eq!(broken(plan(&[("1", &[]), ("1", &[])])), 1);
        assert_eq!(broken(plan(&[("1", &["9"])])), 1);
        assert_eq!(broken(plan(&[("1", &["1"])])), 1);
    }
}
