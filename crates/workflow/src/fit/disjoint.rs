//! Proves that no value of the producer conforms to the consumer.

use accord_contract::Decimal;
use serde_json::Value;

use super::Misfit;
use super::document::{has_patterns, other_members, plain_items};
use super::judge::{Answer, judge};
use super::producer::{Atom, Bound, Typed, Types, ValueType, atoms};
use super::search::{Search, Sides, below, excerpt, misfit};

impl<'s> Search<'s> {
    /// Whether no value that conforms to these schemas of the producer conforms to one of the consumer. If so, notes why.
    pub(super) fn disjoint(
        &self,
        given: &[&'s Value],
        taken: &'s Value,
        at: &str,
        misfits: &mut Vec<Misfit>,
    ) -> bool {
        let Some(_deeper) = self.deeper() else { return false };
        let atoms = atoms(given, &self.producer);
        atoms.iter().all(|atom| self.disjoint_atom(atom, taken, at, misfits))
    }

    pub(super) fn disjoint_atom(
        &self,
        atom: &Atom<'s>,
        taken: &'s Value,
        at: &str,
        misfits: &mut Vec<Misfit>,
    ) -> bool {
        let Sides { producer, consumer } = self.sides;
        let Some(_deeper) = self.deeper() else { return false };
        match (atom, taken) {
            (_, Value::Bool(taken)) => {
                !taken && impossible(misfits, at, format!("{consumer} accepts nothing"))
            }
            (Atom::Value(value), _) => {
                judge(value, taken, &self.consumer) == Answer::No
                    && impossible(
                        misfits,
                        at,
                        format!("{producer} outputs {}, which {consumer} rejects", excerpt(value)),
                    )
            }
            (Atom::Typed(typed), Value::Object(keywords)) => {
                let proof = Proof { search: self, typed, atom, schema: taken, at };
                // Whether keywords beside a reference count depends on the draft.
                match keywords.get("$ref") {
                    Some(reference) => {
                        let target = self.consumer.resolve(reference);
                        target.is_some_and(|target| self.disjoint_atom(atom, target, at, misfits))
                    }
                    None => {
                        keywords.iter().any(|(keyword, operand)| proof.keyword(keyword, operand, misfits))
                    }
                }
            }
            _ => false,
        }
    }
}

/// Notes a reason. Always true, so that it can end a proof.
fn impossible(misfits: &mut Vec<Misfit>, at: &str, message: impl Into<String>) -> bool {
    !misfit(misfits, at, message)
}

/// One alternative of the producer against one schema of the consumer.
struct Proof<'p, 's> {
    search: &'p Search<'s>,
    typed: &'p Typed<'s>,
    atom: &'p Atom<'s>,
    schema: &'s Value,
    at: &'p str,
}

impl<'s> Proof<'_, 's> {
    fn keyword(&self, keyword: &str, operand: &'s Value, misfits: &mut Vec<Misfit>) -> bool {
        let Sides { producer, consumer } = self.search.sides;
        let branches = operand.as_array().map(Vec::as_slice).unwrap_or_default();
        let given = self.typed.kind.plural();
        match keyword {
            "type" => {
                Types::of(self.schema).is_some_and(|types| !types.covers(self.typed.kind).1)
                    && impossible(
                        misfits,
                        self.at,
                        format!("{producer} outputs {given}, but {consumer} accepts {}", excerpt(operand)),
                    )
            }
            "const" => self.refused(std::slice::from_ref(operand), misfits),
            "enum" => operand.is_array() && self.refused(branches, misfits),
            "allOf" => {
                branches.iter().any(|branch| self.search.disjoint_atom(self.atom, branch, self.at, misfits))
            }
            "anyOf" | "oneOf" => {
                let mut reasons = Vec::new();
                let none = branches
                    .iter()
                    .all(|branch| self.search.disjoint_atom(self.atom, branch, self.at, &mut reasons));
                misfits.extend(reasons.into_iter().filter(|_| none));
                none && operand.is_array()
            }
            "not" => {
                self.search.include_atom(self.atom, operand, self.at, &mut Vec::new())
                    && impossible(
                        misfits,
                        self.at,
                        format!("{producer} outputs a value that {consumer} excludes: {}", excerpt(operand)),
                    )
            }
            _ => match self.typed.kind {
                ValueType::Integer | ValueType::Number => self.of_number(keyword, operand, misfits),
                ValueType::String => self.of_count(keyword, operand, "minLength", "maxLength", misfits),
                ValueType::Array => self.of_array(keyword, operand, misfits),
                ValueType::Object => self.of_object(keyword, operand, misfits),
            },
        }
    }

    /// Whether the producer gives none of the values.
    fn refused(&self, values: &[Value], misfits: &mut Vec<Misfit>) -> bool {
        let Sides { producer, consumer } = self.search.sides;
        values
            .iter()
            .all(|value| self.typed.lacks(value, &self.search.producer) || !may_be(self.typed.kind, value))
            && impossible(
                misfits,
                self.at,
                format!(
                    "{consumer} accepts only {}, which {producer} never outputs",
                    excerpt(&Value::from(values.to_vec()))
                ),
            )
    }

    fn of_number(&self, keyword: &str, operand: &Value, misfits: &mut Vec<Misfit>) -> bool {
        let Some(limit) = Decimal::of(operand) else { return false };
        let apart = match keyword {
            "minimum" => {
                self.typed.upper().is_some_and(|upper| upper.limit < limit || at_but_excluded(&upper, &limit))
            }
            "exclusiveMinimum" => self.typed.upper().is_some_and(|upper| upper.limit <= limit),
            "maximum" => {
                self.typed.lower().is_some_and(|lower| lower.limit > limit || at_but_excluded(&lower, &limit))
            }
            "exclusiveMaximum" => self.typed.lower().is_some_and(|lower| lower.limit >= limit),
            _ => false,
        };
        apart && self.out_of_reach(keyword, operand, misfits)
    }

    /// A keyword that limits a count: whether all counts of the producer violate it.
    fn of_count(
        &self,
        keyword: &str,
        operand: &Value,
        least: &str,
        most: &str,
        misfits: &mut Vec<Misfit>,
    ) -> bool {
        let Some(limit) = operand.as_u64() else { return false };
        let apart = keyword == least && self.typed.at_most(most).is_some_and(|most| most < limit)
            || keyword == most && self.typed.at_least(least) > limit;
        apart && self.out_of_reach(keyword, operand, misfits)
    }

    fn of_array(&self, keyword: &str, operand: &'s Value, misfits: &mut Vec<Misfit>) -> bool {
        if keyword != "items" {
            return self.of_count(keyword, operand, "minItems", "maxItems", misfits);
        }
        let never_empty = self.typed.at_least("minItems") > 0;
        let items = plain_items(self.schema).filter(|_| never_empty);
        items.is_some_and(|items| {
            self.search.disjoint(&self.typed.items(), items, &below(self.at, "*"), misfits)
        })
    }

    fn of_object(&self, keyword: &str, operand: &'s Value, misfits: &mut Vec<Misfit>) -> bool {
        let Sides { producer, consumer } = self.search.sides;
        let required = self.typed.required();
        match keyword {
            "required" => operand.as_array().into_iter().flatten().filter_map(Value::as_str).any(|name| {
                atoms(&self.typed.child(name), &self.search.producer).is_empty()
                    && impossible(
                        misfits,
                        &below(self.at, name),
                        format!("{consumer} requires '{name}', which {producer} never outputs"),
                    )
            }),
            "properties" => required.into_iter().any(|name| {
                let schema = operand.get(name);
                schema.is_some_and(|schema| {
                    self.search.disjoint(&self.typed.child(name), schema, &below(self.at, name), misfits)
                })
            }),
            "additionalProperties" if !has_patterns(self.schema) => {
                let named = |name: &str| {
                    self.schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
                };
                let others = other_members(self.schema);
                others.is_some_and(|schema| {
                    required.into_iter().filter(|name| !named(name)).any(|name| {
                        self.search.disjoint(&self.typed.child(name), schema, &below(self.at, name), misfits)
                    })
                })
            }
            "maxProperties" if operand.as_u64().is_some_and(|most| (required.len() as u64) > most) => {
                self.out_of_reach(keyword, operand, misfits)
            }
            _ => self.of_count(keyword, operand, "minProperties", "maxProperties", misfits),
        }
    }

    fn out_of_reach(&self, keyword: &str, operand: &Value, misfits: &mut Vec<Misfit>) -> bool {
        let Sides { producer, consumer } = self.search.sides;
        let message =
            format!("{producer}'s output always violates '{keyword}' {} of {consumer}", excerpt(operand));
        impossible(misfits, self.at, message)
    }
}

/// Whether a value is of a type.
fn may_be(kind: ValueType, value: &Value) -> bool {
    match kind {
        ValueType::Integer => value.is_number() && Decimal::of(value).is_none_or(|number| number.is_whole()),
        ValueType::Number => value.is_number(),
        ValueType::String => value.is_string(),
        ValueType::Array => value.is_array(),
        ValueType::Object => value.is_object(),
    }
}

/// Whether the bound is at the limit and excludes it.
fn at_but_excluded(bound: &Bound, limit: &Decimal) -> bool {
    bound.limit == *limit && bound.exclusive
}
