//! Proves that every value of the producer conforms to the consumer.

use accord_contract::Decimal;
use serde_json::Value;

use super::Misfit;
use super::document::{is_remark, plain_items};
use super::judge::{Answer, judge};
use super::keywords::{OF_ARRAYS, OF_NUMBERS, OF_OBJECTS, OF_STRINGS, concerns_others};
use super::producer::{Atom, Bound, Typed, Types, ValueType, atoms};
use super::search::{Search, Sides, below, excerpt, misfit, unseen};

impl<'s> Search<'s> {
    /// Whether all values that conform to these schemas of the producer conform to one of the consumer. If not, notes
    /// why.
    pub(super) fn include(
        &self,
        given: &[&'s Value],
        taken: &'s Value,
        at: &str,
        misfits: &mut Vec<Misfit>,
    ) -> bool {
        if given.iter().any(|given| *given == taken && self.means_the_same(taken)) {
            return true;
        }
        let Some(_deeper) = self.deeper() else {
            return unseen(misfits, at, "the schemas are too deep or too large to be compared further");
        };
        let mut all = true;
        for atom in atoms(given, &self.producer) {
            all &= self.include_atom(&atom, taken, at, misfits);
        }
        all
    }

    pub(super) fn include_atom(
        &self,
        atom: &Atom<'s>,
        taken: &'s Value,
        at: &str,
        misfits: &mut Vec<Misfit>,
    ) -> bool {
        let Sides { producer, consumer } = self.sides;
        let Some(_deeper) = self.deeper() else {
            return unseen(misfits, at, "the schemas are too deep or too large to be compared further");
        };
        match (atom, taken) {
            (_, Value::Bool(true)) => true,
            (_, Value::Bool(false)) => misfit(misfits, at, format!("{consumer} accepts nothing")),
            (Atom::Value(value), _) => match judge(value, taken, &self.consumer) {
                Answer::Yes => true,
                Answer::No => misfit(
                    misfits,
                    at,
                    format!("{producer} may output {}, which {consumer} rejects", excerpt(value)),
                ),
                Answer::Unsure => {
                    let message = format!(
                        "{producer} may output {}, and the schema alone does not show whether {consumer} accepts it",
                        excerpt(value)
                    );
                    unseen(misfits, at, message)
                }
            },
            (Atom::Typed(typed), Value::Object(keywords)) => {
                let proof = Proof { search: self, typed, atom, schema: taken, at };
                let mut all = true;
                for (keyword, operand) in keywords {
                    all &= proof.keyword(keyword, operand, misfits);
                }
                all
            }
            _ => misfit(misfits, at, format!("{consumer}'s schema is neither an object nor a boolean")),
        }
    }
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
        match keyword {
            keyword if is_remark(keyword) => true,
            "$ref" => match self.search.consumer.resolve(operand) {
                Some(target) => self.search.include_atom(self.atom, target, self.at, misfits),
                None => {
                    unseen(misfits, self.at, format!("the reference {} cannot be resolved", excerpt(operand)))
                }
            },
            "type" => {
                Types::of(self.schema).is_some_and(|types| types.covers(self.typed.kind).0)
                    || misfit(
                        misfits,
                        self.at,
                        format!(
                            "{producer} may output {}, but {consumer} accepts {}",
                            self.producer_type(),
                            excerpt(operand)
                        ),
                    )
            }
            "enum" | "const" => {
                let message = format!(
                    "{producer} may output any {}, but {consumer} accepts only {}",
                    singular(self.typed.kind),
                    excerpt(operand)
                );
                misfit(misfits, self.at, message)
            }
            "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" => {
                self.combination(keyword, operand, misfits)
            }
            _ => match self.typed.kind {
                ValueType::Integer | ValueType::Number => self.of_number(keyword, operand, misfits),
                ValueType::String => self.of_string(keyword, operand, misfits),
                ValueType::Array => self.of_array(keyword, operand, misfits),
                ValueType::Object => self.of_object(keyword, operand, misfits),
            },
        }
    }

    fn producer_type(&self) -> &'static str {
        self.typed.kind.plural()
    }

    /// Proved if the producer has the same keyword and value; else unknown.
    fn in_the_same_words(&self, keyword: &str, operand: &Value, misfits: &mut Vec<Misfit>) -> bool {
        let Sides { producer, consumer } = self.search.sides;
        const SELF_CONTAINED: [&str; 10] = [
            "pattern",
            "format",
            "multipleOf",
            "uniqueItems",
            "propertyNames",
            "patternProperties",
            "dependencies",
            "dependentRequired",
            "dependentSchemas",
            "not",
        ];
        let compared = SELF_CONTAINED.contains(&keyword);
        if compared && self.search.means_the_same(operand) && self.typed.says(keyword, operand) {
            return true;
        }
        let message = format!(
            "{consumer} requires '{keyword}' {}, which {producer} does not guarantee",
            excerpt(operand)
        );
        if compared { misfit(misfits, self.at, message) } else { unseen(misfits, self.at, message) }
    }

    fn combination(&self, keyword: &str, operand: &'s Value, misfits: &mut Vec<Misfit>) -> bool {
        let Sides { producer, consumer } = self.search.sides;
        let includes =
            |schema: &'s Value| self.search.include_atom(self.atom, schema, self.at, &mut Vec::new());
        let excludes =
            |schema: &'s Value| self.search.disjoint_atom(self.atom, schema, self.at, &mut Vec::new());
        let branches = operand.as_array().map(Vec::as_slice).unwrap_or_default();
        match keyword {
            "allOf" => {
                let mut all = operand.is_array();
                for branch in branches {
                    all &= self.search.include_atom(self.atom, branch, self.at, misfits);
                }
                all
            }
            "anyOf" if branches.iter().any(includes) => true,
            "oneOf" => {
                let only = |index: usize| {
                    branches.iter().enumerate().all(|(other, branch)| other == index || excludes(branch))
                };
                branches.iter().enumerate().any(|(index, branch)| includes(branch) && only(index))
                    || misfit(
                        misfits,
                        self.at,
                        format!(
                            "{producer} may output {}, which may not match exactly one of {consumer}'s alternatives",
                            self.producer_type()
                        ),
                    )
            }
            "anyOf" => misfit(
                misfits,
                self.at,
                format!(
                    "{producer} may output {}, which may match none of {consumer}'s alternatives",
                    self.producer_type()
                ),
            ),
            "not" => excludes(operand) || self.in_the_same_words(keyword, operand, misfits),
            "if" => {
                let mut all = true;
                for branch in ["then", "else"].iter().filter_map(|name| self.schema.get(*name)) {
                    all &= self.search.include_atom(self.atom, branch, self.at, misfits);
                }
                all
            }
            // They have a meaning only together with `if`.
            _ => true,
        }
    }

    fn of_number(&self, keyword: &str, operand: &Value, misfits: &mut Vec<Misfit>) -> bool {
        let limit = Decimal::of(operand);
        let holds = match (keyword, limit) {
            ("minimum" | "exclusiveMinimum", Some(limit)) => {
                let strict = keyword == "exclusiveMinimum";
                self.typed.lower().is_some_and(|lower| lower.limit > limit || reaches(&lower, &limit, strict))
            }
            ("maximum" | "exclusiveMaximum", Some(limit)) => {
                let strict = keyword == "exclusiveMaximum";
                self.typed.upper().is_some_and(|upper| upper.limit < limit || reaches(&upper, &limit, strict))
            }
            ("multipleOf", Some(_)) => {
                let wanted = operand.as_i64().filter(|step| *step > 0);
                let whole = self.typed.kind == ValueType::Integer && wanted == Some(1);
                let stepped = |wanted: i64| self.typed.steps().any(|step| step % wanted == 0);
                if whole || wanted.is_some_and(stepped) {
                    return true;
                }
                return self.in_the_same_words(keyword, operand, misfits);
            }
            ("minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum" | "multipleOf", None) => {
                return self.in_the_same_words(keyword, operand, misfits);
            }
            _ => {
                return concerns_others(keyword, &[OF_STRINGS, OF_ARRAYS, OF_OBJECTS])
                    || self.in_the_same_words(keyword, operand, misfits);
            }
        };
        holds || self.beyond(keyword, operand, misfits)
    }

    fn of_string(&self, keyword: &str, operand: &Value, misfits: &mut Vec<Misfit>) -> bool {
        match (keyword, operand.as_u64()) {
            ("minLength", Some(limit)) => {
                self.typed.at_least(keyword) >= limit || self.beyond(keyword, operand, misfits)
            }
            ("maxLength", Some(limit)) => {
                self.reaches_at_most(keyword, limit) || self.beyond(keyword, operand, misfits)
            }
            _ => {
                concerns_others(keyword, &[OF_NUMBERS, OF_ARRAYS, OF_OBJECTS])
                    || self.in_the_same_words(keyword, operand, misfits)
            }
        }
    }

    fn of_array(&self, keyword: &str, operand: &'s Value, misfits: &mut Vec<Misfit>) -> bool {
        let Sides { consumer, .. } = self.search.sides;
        match (keyword, operand.as_u64()) {
            ("minItems", Some(limit)) => {
                self.typed.at_least(keyword) >= limit || self.beyond(keyword, operand, misfits)
            }
            ("maxItems", Some(limit)) => {
                self.reaches_at_most(keyword, limit) || self.beyond(keyword, operand, misfits)
            }
            ("items", _) => match plain_items(self.schema) {
                _ if self.reaches_at_most("maxItems", 0) => true,
                Some(items) => self.search.include(&self.typed.items(), items, &below(self.at, "*"), misfits),
                None => {
                    unseen(misfits, self.at, format!("{consumer} expects a tuple; tuples are not compared"))
                }
            },
            ("uniqueItems", _) if operand == &Value::Bool(false) || self.reaches_at_most("maxItems", 1) => {
                operand.is_boolean()
            }
            _ => {
                concerns_others(keyword, &[OF_NUMBERS, OF_STRINGS, OF_OBJECTS])
                    || self.in_the_same_words(keyword, operand, misfits)
            }
        }
    }

    fn of_object(&self, keyword: &str, operand: &'s Value, misfits: &mut Vec<Misfit>) -> bool {
        match (keyword, operand.as_u64()) {
            ("required", _) => self.required(operand, misfits),
            ("properties", _) => {
                let mut all = operand.is_object();
                for (name, schema) in operand.as_object().into_iter().flatten() {
                    all &=
                        self.search.include(&self.typed.child(name), schema, &below(self.at, name), misfits);
                }
                all
            }
            ("additionalProperties", _) => {
                let named = |name: &str| {
                    self.schema.get("properties").is_some_and(|properties| properties.get(name).is_some())
                };
                self.every_member(operand, |name| !named(name), misfits)
            }
            // All members conform to the schema, so it does not matter which names the pattern matches.
            ("patternProperties", _) => {
                let patterns = operand.as_object();
                let apart = |schema: &'s Value| self.every_member(schema, |_| true, &mut Vec::new());
                patterns.is_some_and(|patterns| patterns.values().all(apart))
                    || self.in_the_same_words(keyword, operand, misfits)
            }
            ("minProperties", Some(limit)) => {
                self.typed.at_least(keyword).max(self.typed.required().len() as u64) >= limit
                    || self.beyond(keyword, operand, misfits)
            }
            ("maxProperties", Some(limit)) => {
                self.reaches_at_most(keyword, limit)
                    || self.most_members().is_some_and(|most| most <= limit)
                    || self.beyond(keyword, operand, misfits)
            }
            _ => {
                concerns_others(keyword, &[OF_NUMBERS, OF_STRINGS, OF_ARRAYS])
                    || self.in_the_same_words(keyword, operand, misfits)
            }
        }
    }

    fn required(&self, operand: &Value, misfits: &mut Vec<Misfit>) -> bool {
        let Sides { producer, consumer } = self.search.sides;
        let given = self.typed.required();
        let mut all = operand.is_array();
        for name in operand.as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !given.contains(name) {
                let message = format!("{consumer} requires '{name}', which {producer} may omit");
                all = misfit(misfits, self.at, message);
            }
        }
        all
    }

    /// Whether all members that the producer may give, by name or not, conform, where they matter.
    fn every_member(
        &self,
        schema: &'s Value,
        matters: impl Fn(&str) -> bool,
        misfits: &mut Vec<Misfit>,
    ) -> bool {
        let Sides { producer, consumer } = self.search.sides;
        let mut all = true;
        for name in self.typed.names().into_iter().filter(|name| matters(name)) {
            all &= self.search.include(&self.typed.child(name), schema, &below(self.at, name), misfits);
        }
        let others = match schema {
            Value::Bool(false) => {
                self.most_members().is_some()
                    || misfit(
                        misfits,
                        self.at,
                        format!("{producer} may output properties that {consumer} does not accept"),
                    )
            }
            _ => self.search.include(&self.typed.others(), schema, &below(self.at, "*"), misfits),
        };
        all & others
    }

    /// How many members there can be, where all of them are named.
    fn most_members(&self) -> Option<u64> {
        let closed = atoms(&self.typed.others(), &self.search.producer).is_empty();
        closed.then(|| self.typed.names().len() as u64)
    }

    fn reaches_at_most(&self, keyword: &str, limit: u64) -> bool {
        self.typed.at_most(keyword).is_some_and(|most| most <= limit)
    }

    fn beyond(&self, keyword: &str, operand: &Value, misfits: &mut Vec<Misfit>) -> bool {
        let Sides { producer, consumer } = self.search.sides;
        let message = format!(
            "{producer} may output {} that violates '{keyword}' {} of {consumer}",
            self.producer_type(),
            excerpt(operand)
        );
        misfit(misfits, self.at, message)
    }
}

/// A bound at the limit itself holds unless the limit is excluded and the bound is not.
fn reaches(bound: &Bound, limit: &Decimal, strict: bool) -> bool {
    bound.limit == *limit && (bound.exclusive || !strict)
}

fn singular(kind: ValueType) -> &'static str {
    kind.plural().split_once(' ').map_or(kind.plural(), |(_, plain)| plain)
}
