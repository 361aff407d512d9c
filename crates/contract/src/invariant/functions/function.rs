//! A function of rules: what it takes, and what functions read from their arguments and make.

use cel::ExecutionError;
use cel::common::types::{CelBool, CelInt, CelList, CelString};
use cel::common::value::Val;

use crate::invariant::number::Number;
use crate::invariant::value;

/// An argument of a function.
pub(in crate::invariant) type Argument<'b, 'v> = &'b (dyn Val + 'v);

/// A result of its own.
pub(in crate::invariant) type Made<'v> = Result<Box<dyn Val + 'v>, Wrong>;

/// Why a function has no result.
#[derive(Debug)]
pub(in crate::invariant) enum Wrong {
    /// It does not take arguments of these kinds.
    Kinds,
    /// It does not take a list with this item.
    Item(usize),
    /// For this reason.
    Because(String),
    /// The budget is spent.
    Spent(ExecutionError),
}

impl From<ExecutionError> for Wrong {
    fn from(error: ExecutionError) -> Self {
        Self::Spent(error)
    }
}

/// How much of its arguments a function reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::invariant) enum Reads {
    All,
    /// Texts, but not the items of lists and the members of objects.
    Surface,
}

/// A function of rules, or an operator.
pub(in crate::invariant) struct Function {
    /// The name, with its namespace. Operators have the evaluator's names.
    pub(in crate::invariant) name: &'static str,
    /// How it is called; empty for operators.
    pub(in crate::invariant) usage: &'static str,
    pub(super) least: usize,
    pub(super) most: usize,
    /// The kind of its result, if it is never a boolean.
    pub(in crate::invariant) result: Option<&'static str>,
    pub(super) reads: Reads,
    pub(super) run: for<'b, 'v> fn(&[Argument<'b, 'v>]) -> Made<'v>,
}

/// The arguments of a function that takes any number of them, as one list.
pub(in crate::invariant) const ANY: usize = usize::MAX;

impl Function {
    pub(super) const fn new(
        name: &'static str,
        usage: &'static str,
        (least, most): (usize, usize),
        result: Option<&'static str>,
        run: for<'b, 'v> fn(&[Argument<'b, 'v>]) -> Made<'v>,
    ) -> Self {
        Self { name, usage, least, most, result, reads: Reads::All, run }
    }

    pub(super) const fn surface(self) -> Self {
        Self { reads: Reads::Surface, ..self }
    }

    /// Whether its arguments become one list.
    pub(in crate::invariant) fn takes_list(&self, arguments: usize) -> bool {
        self.most == ANY && arguments != 1
    }

    pub(super) fn takes(&self, arguments: usize) -> bool {
        (self.least..=self.most).contains(&arguments)
    }

    pub(super) fn is_operator(&self) -> bool {
        self.usage.is_empty()
    }
}

pub(in crate::invariant) fn text<'b>(argument: Argument<'b, '_>) -> Result<&'b str, Wrong> {
    value::text(argument).ok_or(Wrong::Kinds)
}

pub(in crate::invariant) fn list<'b, 'v>(
    argument: Argument<'b, 'v>,
) -> Result<&'b [Box<dyn Val + 'v>], Wrong> {
    value::list(argument).ok_or(Wrong::Kinds)
}

pub(in crate::invariant) fn number(argument: Argument<'_, '_>) -> Result<Number, Wrong> {
    Number::of(argument).ok_or(Wrong::Kinds)
}

/// A whole number that fits 64 bits.
pub(in crate::invariant) fn whole(argument: Argument<'_, '_>) -> Result<i64, Wrong> {
    number(argument)?.whole().ok_or(Wrong::Kinds)
}

pub(in crate::invariant) fn made_bool<'v>(truth: bool) -> Made<'v> {
    Ok(Box::new(CelBool::from(truth)))
}

pub(in crate::invariant) fn made_int<'v>(number: i64) -> Made<'v> {
    Ok(Box::new(CelInt::from(number)))
}

pub(in crate::invariant) fn made_text<'v>(text: String) -> Made<'v> {
    Ok(Box::new(CelString::from(text)))
}

pub(in crate::invariant) fn made_list<'v>(items: Vec<Box<dyn Val + 'v>>) -> Made<'v> {
    Ok(Box::new(CelList::from(items)))
}

/// A length or a position.
pub(in crate::invariant) fn made_count<'v>(count: usize) -> Made<'v> {
    made_int(i64::try_from(count).unwrap_or(i64::MAX))
}

pub(in crate::invariant) fn made_number<'v>(number: Option<Number>) -> Made<'v> {
    number.map(Number::boxed).ok_or_else(too_large)
}

pub(in crate::invariant) fn too_large() -> Wrong {
    Wrong::Because("a number is too large".to_owned())
}
