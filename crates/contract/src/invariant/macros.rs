//! The macros: those of CEL, `sortBy` of its `lists` library, and `reduce`.

use std::sync::LazyLock;

use cel::Env;
use cel::common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, ListExpr, LiteralValue};
use cel::parser::{Macro, MacroExprHelper, ParseError, Parser};

use super::functions::SORT_BY;

/// The name that CEL's own macros give to what they collect. No rule can write it.
const RESULT: &str = "@result";

static ENVIRONMENT: LazyLock<Env> = LazyLock::new(|| {
    let mut environment = Env::stdlib();
    for added in [Macro::receiver("sortBy", 2, sort_by), Macro::receiver("reduce", 4, reduce)] {
        // Without it, the call is reported as a function that is not known.
        let _ = environment.add_macro(added);
    }
    environment
});

/// A parser that knows the macros.
pub(super) fn parser() -> Parser {
    ENVIRONMENT.parser().enable_optional_syntax(false)
}

type Expanded = Result<Option<IdedExpr>, ParseError>;

/// `list.sortBy(x, key)` sorts `list.map(x, [key, x])`, so the list is evaluated once.
fn sort_by(
    helper: &mut MacroExprHelper<'_>,
    target: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
) -> Expanded {
    let Some((list, key, item)) = target.take().zip(args.pop()).zip(args.pop()).map(|((a, b), c)| (a, b, c))
    else {
        return Ok(None);
    };
    let name = item_name(helper, &item)?;
    let pair = helper.next_expr(Expr::List(ListExpr::new(vec![key, item])));
    let collected = helper.next_expr(Expr::Ident(RESULT.to_owned()));
    let added = helper.next_expr(Expr::List(ListExpr::new(vec![pair])));
    let loop_step = helper.next_expr(call("_+_", vec![collected, added]));
    let pairs = Expr::Comprehension(Box::new(ComprehensionExpr {
        iter_range: list,
        iter_var: name,
        iter_var2: None,
        accu_var: RESULT.to_owned(),
        accu_init: helper.next_expr(Expr::List(ListExpr::new(Vec::new()))),
        loop_cond: always(helper),
        loop_step,
        result: helper.next_expr(Expr::Ident(RESULT.to_owned())),
    }));
    let pairs = helper.next_expr(pairs);
    Ok(Some(helper.next_expr(call(SORT_BY, vec![pairs]))))
}

/// `list.reduce(total, x, 0, total + x)` goes through a list with what was made of the items before.
fn reduce(
    helper: &mut MacroExprHelper<'_>,
    target: &mut Option<IdedExpr>,
    args: &mut Vec<IdedExpr>,
) -> Expanded {
    let Some((list, step)) = target.take().zip(args.pop()) else { return Ok(None) };
    let Some((accu_init, (item, total))) = args.pop().zip(args.pop().zip(args.pop())) else {
        return Ok(None);
    };
    let (item_name, total_name) = (item_name(helper, &item)?, item_name(helper, &total)?);
    if item_name == total_name {
        return Err(helper.new_error(item.id, "the two names of 'reduce' must differ"));
    }
    let reduced = Expr::Comprehension(Box::new(ComprehensionExpr {
        iter_range: list,
        iter_var: item_name,
        iter_var2: None,
        accu_var: total_name,
        accu_init,
        loop_cond: always(helper),
        loop_step: step,
        result: total,
    }));
    Ok(Some(helper.next_expr(reduced)))
}

fn call(name: &str, args: Vec<IdedExpr>) -> Expr {
    Expr::Call(CallExpr { func_name: name.to_owned(), target: None, args })
}

fn always(helper: &mut MacroExprHelper<'_>) -> IdedExpr {
    helper.next_expr(Expr::Literal(LiteralValue::Boolean(true.into())))
}

fn item_name(helper: &mut MacroExprHelper<'_>, item: &IdedExpr) -> Result<String, ParseError> {
    match &item.expr {
        Expr::Ident(name) => Ok(name.clone()),
        _ => Err(helper.new_error(item.id, "argument must be a simple name")),
    }
}
