//! What the compiler computes from literals by itself, without a budget: `'x' * 100000000` is made while the template is
//! compiled, and `[1] * 100000000 == [1] * 100000000` is compared there.
//!
//! So how large such a literal becomes is computed first. Only repetition makes it larger than its source.

use minijinja::machinery::ast::{BinOpKind, CallArg, Expr, Stmt};
use minijinja::{Error, ErrorKind};

use crate::limits::MAX_TEMPLATE_BYTES;

pub(super) fn check_template(tree: &Stmt<'_>) -> Result<(), Error> {
    Constants::default().statement(tree)
}

pub(super) fn check_expression(tree: &Expr<'_>) -> Result<(), Error> {
    Constants::default().expression(tree).map(drop)
}

#[derive(Debug, Default)]
struct Constants {
    bytes: usize,
}

impl Constants {
    fn statements(&mut self, statements: &[Stmt<'_>]) -> Result<(), Error> {
        statements.iter().try_for_each(|each| self.statement(each))
    }

    fn statement(&mut self, statement: &Stmt<'_>) -> Result<(), Error> {
        match statement {
            Stmt::Template(template) => self.statements(&template.children),
            Stmt::EmitExpr(emit) => self.expression(&emit.expr).map(drop),
            Stmt::EmitRaw(_) => Ok(()),
            Stmt::ForLoop(each) => {
                self.expressions([&each.iter].into_iter().chain(&each.filter_expr))?;
                self.statements(&each.body)?;
                self.statements(&each.else_body)
            }
            Stmt::IfCond(condition) => {
                self.expression(&condition.expr)?;
                self.statements(&condition.true_body)?;
                self.statements(&condition.false_body)
            }
            Stmt::WithBlock(with) => {
                self.expressions(with.assignments.iter().map(|(_, value)| value))?;
                self.statements(&with.body)
            }
            Stmt::Set(set) => self.expression(&set.expr).map(drop),
            Stmt::SetBlock(set) => {
                self.expressions(&set.filter)?;
                self.statements(&set.body)
            }
            Stmt::AutoEscape(escape) => {
                self.expression(&escape.enabled)?;
                self.statements(&escape.body)
            }
            Stmt::FilterBlock(filter) => {
                self.expression(&filter.filter)?;
                self.statements(&filter.body)
            }
            Stmt::Do(call) => self.arguments(&call.call.args),
        }
    }

    fn expressions<'e>(&mut self, all: impl IntoIterator<Item = &'e Expr<'e>>) -> Result<(), Error> {
        all.into_iter().try_for_each(|each| self.expression(each).map(drop))
    }

    fn arguments(&mut self, arguments: &[CallArg<'_>]) -> Result<(), Error> {
        arguments.iter().try_for_each(|argument| match argument {
            CallArg::Pos(value)
            | CallArg::Kwarg(_, value)
            | CallArg::PosSplat(value)
            | CallArg::KwargSplat(value) => self.expression(value).map(drop),
        })
    }

    /// The size of an expression that is computed while it is compiled; none where it is not.
    fn expression(&mut self, expression: &Expr<'_>) -> Result<Option<usize>, Error> {
        let size = match expression {
            Expr::Var(_) => None,
            Expr::Const(literal) => Some(1 + literal.value.as_str().map_or(0, str::len)),
            Expr::List(list) => self.literals(&list.items)?,
            Expr::Tuple(tuple) => self.literals(&tuple.items)?,
            Expr::Map(map) => {
                let (keys, values) = (self.literals(&map.keys)?, self.literals(&map.values)?);
                keys.zip(values).map(|(keys, values)| keys + values)
            }
            Expr::UnaryOp(operation) => self.expression(&operation.expr)?,
            Expr::BinOp(operation) => {
                let (left, right) = (self.expression(&operation.left)?, self.expression(&operation.right)?);
                let sizes = left.zip(right);
                match (sizes, operation.op) {
                    (Some((left, right)), BinOpKind::Mul) => {
                        // Both are small by now, so that this is quick.
                        let times =
                            |factor: &Expr<'_>| factor.as_const().and_then(|factor| factor.as_usize());
                        let by_right = times(&operation.right).map(|times| left.saturating_mul(times.max(1)));
                        let by_left = times(&operation.left).map(|times| right.saturating_mul(times.max(1)));
                        let is_number =
                            |side: &Expr<'_>| side.as_const().is_some_and(|side| side.is_number());
                        match is_number(&operation.left) && is_number(&operation.right) {
                            true => Some(1),
                            false => by_right.max(by_left).or(Some(left + right)),
                        }
                    }
                    (sizes, _) => sizes.map(|(left, right)| left + right),
                }
            }
            Expr::Compare(comparison) => {
                let mut sizes = vec![self.expression(&comparison.expr)?];
                for operand in &comparison.ops {
                    sizes.push(self.expression(&operand.expr)?);
                }
                sizes.into_iter().sum()
            }
            Expr::IfExpr(choice) => {
                let parts = [&choice.test_expr, &choice.true_expr].into_iter().chain(&choice.false_expr);
                self.expressions(parts)?;
                None
            }
            Expr::Slice(slice) => {
                let bounds = slice.start.iter().chain(&slice.stop).chain(&slice.step);
                self.expressions([&slice.expr].into_iter().chain(bounds))?;
                None
            }
            Expr::Filter(filter) => {
                self.expressions(&filter.expr)?;
                self.arguments(&filter.args)?;
                None
            }
            Expr::Test(test) => {
                self.expression(&test.expr)?;
                self.arguments(&test.args)?;
                None
            }
            Expr::GetAttr(attribute) => {
                self.expression(&attribute.expr)?;
                None
            }
            Expr::GetItem(item) => {
                self.expressions([&item.expr, &item.subscript_expr])?;
                None
            }
            Expr::Call(call) => {
                self.expression(&call.expr)?;
                self.arguments(&call.args)?;
                None
            }
        };
        self.bytes = self.bytes.saturating_add(size.unwrap_or_default());
        match self.bytes <= 2 * MAX_TEMPLATE_BYTES {
            true => Ok(size),
            false => Err(Error::new(
                ErrorKind::SyntaxError,
                format!("the literals of the template exceed {} bytes", 2 * MAX_TEMPLATE_BYTES),
            )),
        }
    }

    /// The size of a list of literals; none where something else is among them.
    fn literals(&mut self, items: &[Expr<'_>]) -> Result<Option<usize>, Error> {
        let mut total = Some(1);
        for item in items {
            let size = self.expression(item)?.filter(|_| matches!(item, Expr::Const(_)));
            total = total.zip(size).map(|(total, size)| total + size);
        }
        Ok(total)
    }
}
