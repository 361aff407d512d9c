//! Which fields of its variables a rule reads, for checks against their schemas.
//!
//! Only paths that are evident from the text: names and literal indexes, also through the items of
//! a list. Paths that a rule only tests with `has` or `in` are not included, because they may be
//! absent.

use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue};

use super::analysis::parts;
use super::functions::SORT_BY;
use crate::json_path::{JsonPath, Step};

/// A variable, and the place in it that is read. The items of a list that a macro goes through count as the first one.
pub(super) type Read = (String, JsonPath);

/// The locations that a rule over these variables reads, in the order of its text.
pub(super) fn reads(expression: &IdedExpr, variables: &[&str]) -> Vec<Read> {
    let mut walk = Walk { variables, names: Vec::new(), reads: Vec::new(), asked: Vec::new() };
    walk.look(expression);
    let Walk { mut reads, asked, .. } = walk;
    let is_asked = |(variable, place): &Read| {
        asked.iter().any(|(other, asked)| other == variable && place.steps().starts_with(asked.steps()))
    };
    reads.retain(|read| !is_asked(read));
    reads.dedup();
    reads
}

struct Walk<'a> {
    variables: &'a [&'a str],
    /// The names that macros bind, with the location that each refers to, if known.
    names: Vec<(String, Option<Read>)>,
    reads: Vec<Read>,
    /// What the rule asks for before it reads it, perhaps.
    asked: Vec<Read>,
}

impl Walk<'_> {
    fn look(&mut self, expression: &IdedExpr) {
        if let Some(read) = self.read(expression) {
            return self.reads.push(read);
        }
        match &expression.expr {
            Expr::Select(select) if select.test => self.ask(&select.operand, &select.field),
            Expr::Call(call) if call.func_name == "@in" => {
                if let [name, container] = call.args.as_slice()
                    && let Some(Step::Key(name)) = literal(name)
                {
                    self.ask(container, &name);
                }
            }
            Expr::Comprehension(comprehension) => return self.look_inside(comprehension),
            _ => {}
        }
        parts(expression).into_iter().for_each(|part| self.look(part));
    }

    fn ask(&mut self, container: &IdedExpr, name: &str) {
        if let Some((variable, place)) = self.read(container) {
            self.asked.push((variable, place.key(name)));
        }
    }

    fn look_inside(&mut self, comprehension: &ComprehensionExpr) {
        self.look(&comprehension.iter_range);
        self.look(&comprehension.accu_init);
        let item = self.list(&comprehension.iter_range).map(|(variable, place)| (variable, place.index(0)));
        let outer = self.names.len();
        self.names.push((comprehension.accu_var.clone(), None));
        match &comprehension.iter_var2 {
            None => self.names.push((comprehension.iter_var.clone(), item)),
            Some(second) => {
                self.names.extend([comprehension.iter_var.clone(), second.clone()].map(|name| (name, None)));
            }
        }
        for part in [&comprehension.loop_cond, &comprehension.loop_step, &comprehension.result] {
            self.look(part);
        }
        self.names.truncate(outer);
    }

    /// The location that an expression refers to; `None` if it is not a path.
    fn read(&self, expression: &IdedExpr) -> Option<Read> {
        match &expression.expr {
            Expr::Ident(name) => match self.names.iter().rev().find(|(known, _)| known == name) {
                Some((_, place)) => place.clone(),
                None => self.variables.contains(&name.as_str()).then(|| (name.clone(), JsonPath::root())),
            },
            Expr::Select(select) if !select.test => {
                let (variable, place) = self.read(&select.operand)?;
                Some((variable, place.key(&select.field)))
            }
            Expr::Call(call) if call.func_name == "_[_]" => {
                let [container, index] = call.args.as_slice() else { return None };
                let (variable, mut place) = self.read(container)?;
                place.push(literal(index)?);
                Some((variable, place))
            }
            Expr::Call(call) if ["first", "last"].contains(&call.func_name.as_str()) => {
                let (variable, place) = self.list(argument(call)?)?;
                Some((variable, place.index(0)))
            }
            _ => None,
        }
    }

    /// The list whose items an expression has: a location, some of its items, or all of them in another order.
    fn list(&self, expression: &IdedExpr) -> Option<Read> {
        match &expression.expr {
            Expr::Call(call) if ITEMS_OF.contains(&call.func_name.as_str()) => self.list(argument(call)?),
            Expr::Call(call) if call.func_name == SORT_BY => match &argument(call)?.expr {
                Expr::Comprehension(pairs) => self.list(&pairs.iter_range),
                _ => None,
            },
            _ => self.read(expression),
        }
    }
}

/// Functions whose result is a list of items of their first argument.
const ITEMS_OF: &[&str] = &["sort", "distinct", "reverse", "slice"];

/// The first argument of a call, in front of it or in brackets.
fn argument(call: &CallExpr) -> Option<&IdedExpr> {
    call.target.as_deref().or(call.args.first())
}

fn literal(expression: &IdedExpr) -> Option<Step> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(name)) => Some(Step::Key(name.inner().to_owned())),
        Expr::Literal(LiteralValue::Int(index)) => usize::try_from(*index.inner()).ok().map(Step::Index),
        _ => None,
    }
}
