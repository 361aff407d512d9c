//! Programs from outside, made to pay for what they do.
//!
//! A template is compiled to the library's instructions. Each of those is one of three: it does a bounded little, or it is
//! replaced by a filter of ours, or what it works on goes through such a filter first. The `match` in [`replacement`] has no
//! wildcard, so that an instruction that a later version of the library adds does not compile until it is classified as
//! one of the three. With that, everything a template does is charged to its [`Rendering`], and every value in it has at
//! most the depth and size that [`super::values`] allows.

use minijinja::machinery::{CodeGenerator, Instruction, Instructions, parse, parse_expr};
use minijinja::value::{Rest, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, Value};

use super::constants;
use super::rendering::Rendering;
use super::values::{self, measure, settled};

// No template can write these names.
const LIST: &str = "make-list";
const OBJECT: &str = "make-object";
const CHARGED: &str = "be-charged";
const TEXT_CHARGED: &str = "charge-text";
const SETTLED: &str = "be-settled";
const SLICE: &str = "make-slice";

/// No place in the library's table of filters that were looked up before.
const NOT_KEPT: u8 = u8::MAX;

pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_filter(LIST, |state: &mut State<'_, '_>, items: Rest<Value>| {
        values::list(items.0, &Rendering::of(state)?)
    });
    environment.add_filter(OBJECT, |state: &mut State<'_, '_>, fields: Rest<Value>| {
        let pairs = fields.chunks_exact(2).filter_map(|pair| match pair {
            [key, value] => Some((key.clone(), value.clone())),
            _ => None,
        });
        values::object(pairs, &Rendering::of(state)?)
    });
    environment.add_filter(CHARGED, |state: &mut State<'_, '_>, value: Value| {
        let rendering = Rendering::of(state)?;
        rendering.spend(measure(&value, &rendering)?.units)?;
        Ok::<_, Error>(value)
    });
    environment.add_filter(TEXT_CHARGED, |state: &mut State<'_, '_>, value: Value| {
        Rendering::of(state)?.spend_bytes(value.as_str().map_or(0, str::len))?;
        Ok::<_, Error>(value)
    });
    environment.add_filter(SLICE, slice);
    environment.add_filter(SETTLED, |state: &mut State<'_, '_>, value: Value| {
        settled(value, &Rendering::of(state)?)
    });
}

/// A part of a list or a text: all of it is gone through.
fn slice(
    state: &mut State<'_, '_>,
    value: Value,
    start: Value,
    stop: Value,
    step: Value,
) -> Result<Value, Error> {
    let rendering = Rendering::of(state)?;
    rendering.spend_bytes(value.as_str().map_or(0, str::len))?;
    rendering.spend(value.len().unwrap_or_default() as u64)?;
    let expression = state.env().compile_expression("value[start:stop:step]")?;
    let part = expression.eval(minijinja::context! { value, start, stop, step })?;
    settled(part, &rendering)
}

/// A program that pays for what it does.
#[derive(Debug)]
pub(super) struct Program<'a>(Instructions<'a>);

impl<'a> Program<'a> {
    /// The program of a template. How deeply it nests has been measured.
    pub(super) fn of_template(source: &'a str) -> Result<Self, Error> {
        let tree = parse(source, "<template>", minijinja::syntax::SyntaxConfig::default())?;
        constants::check_template(&tree)?;
        let mut generator = CodeGenerator::new("<template>", source);
        generator.compile_stmt(&tree);
        guarded(source, &generator.finish().0).map(Self)
    }

    pub(super) fn of_expression(source: &'a str) -> Result<Self, Error> {
        let tree = parse_expr(source)?;
        constants::check_expression(&tree)?;
        let mut generator = CodeGenerator::new("<expression>", source);
        generator.compile_expr(&tree);
        guarded(source, &generator.finish().0).map(Self)
    }

    pub(super) fn instructions(&self) -> &Instructions<'a> {
        &self.0
    }

    /// The filters and tests that it names.
    pub(super) fn names(&self) -> impl Iterator<Item = Named<'a>> {
        let instructions = (0..).map_while(|place| self.0.get(place));
        instructions.filter_map(|instruction| match instruction {
            Instruction::ApplyFilter(name, _, _) => Some(Named::Filter(name)),
            Instruction::PerformTest(name, _, _) => Some(Named::Test(name)),
            _ => None,
        })
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Named<'a> {
    Filter(&'a str),
    Test(&'a str),
}

fn guarded<'a>(source: &'a str, instructions: &Instructions<'a>) -> Result<Instructions<'a>, Error> {
    let mut replaced = Vec::new();
    let mut places = Vec::new();
    let mut length: u32 = 0;
    for instruction in (0..).map_while(|place| instructions.get(place)) {
        let by = replacement(instruction)?;
        places.push(length);
        length += u32::try_from(by.len()).unwrap_or(u32::MAX);
        replaced.push(by);
    }
    places.push(length);
    let mut result = Instructions::new(instructions.name(), source);
    for (place, by) in (0..).zip(replaced) {
        let line = instructions.get_line(place).and_then(|line| u16::try_from(line).ok()).unwrap_or_default();
        for mut instruction in by {
            if let Some(target) = target_of(&mut instruction) {
                *target = places.get(*target as usize).copied().unwrap_or(length);
            }
            result.add_with_line(instruction, line);
        }
    }
    Ok(result)
}

fn target_of<'i>(instruction: &'i mut Instruction<'_>) -> Option<&'i mut u32> {
    match instruction {
        Instruction::Iterate(target)
        | Instruction::Jump(target)
        | Instruction::JumpIfFalse(target)
        | Instruction::JumpIfFalseOrPop(target)
        | Instruction::JumpIfTrueOrPop(target) => Some(target),
        _ => None,
    }
}

fn replacement<'a>(instruction: &Instruction<'a>) -> Result<Vec<Instruction<'a>>, Error> {
    let filter = |name: &'static str, arguments: usize| match u16::try_from(arguments) {
        Ok(arguments) => Ok(Instruction::ApplyFilter(name, Some(arguments), NOT_KEPT)),
        Err(_) => Err(wrong(format!("a list or an object of {arguments} items is too long for a template"))),
    };
    let both_charged = || -> Result<Vec<Instruction<'a>>, Error> {
        Ok(vec![Instruction::Swap, filter(CHARGED, 1)?, Instruction::Swap, filter(CHARGED, 1)?])
    };
    let same = || Ok(vec![instruction.clone()]);
    match instruction {
        // Text is written by the formatter, which pays for it.
        Instruction::EmitRaw(text) => {
            let text = Value::from_safe_string((*text).to_owned());
            Ok(vec![Instruction::LoadConst(text), Instruction::Emit])
        }
        // Constants of the template were written by the author of the workflow.
        Instruction::LoadConst(value) => match (value.as_str(), value.kind()) {
            (Some(text), _) => Ok(vec![Instruction::LoadConst(Value::from_safe_string(text.to_owned()))]),
            (None, ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) if !value.is_kwargs() => {
                Ok(vec![instruction.clone(), filter(SETTLED, 1)?])
            }
            _ => same(),
        },
        Instruction::BuildList(Some(count)) | Instruction::BuildTuple(Some(count)) => {
            Ok(vec![filter(LIST, *count)?])
        }
        Instruction::BuildMap(pairs) => Ok(vec![filter(OBJECT, 2 * pairs)?]),
        // These look at both operands.
        Instruction::Eq
        | Instruction::Ne
        | Instruction::Gt
        | Instruction::Gte
        | Instruction::Lt
        | Instruction::Lte
        | Instruction::In
        | Instruction::CompareAndPreserve(_) => {
            let mut by = both_charged()?;
            by.push(instruction.clone());
            Ok(by)
        }
        // And these make something of them.
        Instruction::Add | Instruction::Mul | Instruction::StringConcat => {
            let mut by = both_charged()?;
            by.extend([instruction.clone(), filter(SETTLED, 1)?]);
            Ok(by)
        }
        Instruction::Slice => Ok(vec![filter(SLICE, 4)?]),
        // A character of a text is found by going through it.
        Instruction::GetItem => {
            Ok(vec![Instruction::Swap, filter(TEXT_CHARGED, 1)?, Instruction::Swap, Instruction::GetItem])
        }
        // They take as many values as the template has no bound for.
        Instruction::UnpackLists(_) | Instruction::MergeKwargs(_) => {
            Err(wrong("arguments cannot be unpacked with '*' or '**'".to_owned()))
        }
        // It compares values, and no filter precedes a method call.
        Instruction::CallMethod("changed", _) => {
            Err(wrong("'loop.changed' is not supported; compare with the item before".to_owned()))
        }
        // Filters, tests and functions are ours, see `super::filters`; objects have no methods, but for `loop.cycle`.
        Instruction::ApplyFilter(..)
        | Instruction::PerformTest(..)
        | Instruction::CallFunction(..)
        | Instruction::CallMethod(..)
        | Instruction::CallObject(_) => same(),
        // The rest takes a bounded number of steps for each piece of the source, and is counted by the library's fuel: a list of
        // unknown length is what passed the condition of a loop, item by item, and a list that is unpacked has as many items
        // as there are names for them.
        Instruction::StoreLocal(_)
        | Instruction::Lookup(_)
        | Instruction::GetAttr(_)
        | Instruction::SetAttr(_)
        | Instruction::BuildKwargs(_)
        | Instruction::BuildList(None)
        | Instruction::BuildTuple(None)
        | Instruction::UnpackList(_)
        | Instruction::Sub
        | Instruction::Div
        | Instruction::IntDiv
        | Instruction::Rem
        | Instruction::Pow
        | Instruction::Neg
        | Instruction::Not
        | Instruction::Emit
        | Instruction::PushLoop(_)
        | Instruction::PushWith
        | Instruction::Iterate(_)
        | Instruction::PushDidNotIterate
        | Instruction::PopFrame
        | Instruction::PopLoopFrame
        | Instruction::Jump(_)
        | Instruction::JumpIfFalse(_)
        | Instruction::JumpIfFalseOrPop(_)
        | Instruction::JumpIfTrueOrPop(_)
        | Instruction::PushAutoEscape
        | Instruction::PopAutoEscape
        | Instruction::BeginCapture(_)
        | Instruction::EndCapture
        | Instruction::DupTop
        | Instruction::DiscardTop
        | Instruction::FastRecurse
        | Instruction::Swap => same(),
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::SyntaxError, message)
}
