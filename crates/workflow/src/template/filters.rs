//! The filters, tests and functions that templates have, and what each of them costs. The library
//! counts every call as one step. Only the functions in these tables exist.
//!
//! Missing: `pprint` and `debug`, which print the library's internal view of a value; use `tojson`.
//! And `namespace`: it is the only mutable value, so it could contain itself.

use minijinja::value::{Rest, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value, filters, functions, tests};

use super::rendering::Rendering;
use super::values::{measure, pretty, settled};
use crate::diff::{Diff, numbered_lines};
use crate::limits::{MOST_FILTERED_BYTES, MOST_FILTERED_PARTS, WIDEST_FORMAT};

pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.add_filter("tojson", |state: &mut State<'_, '_>, value: &Value| {
        pretty(value, Rendering::of(state)?.as_ref())
    });
    environment.add_filter("string", string);
    for (name, filter, cost) in makers() {
        environment.add_filter(name, paid(name, filter, cost, Gives::Something));
    }
    for (name, filter, cost) in pickers() {
        environment.add_filter(name, paid(name, filter, cost, Gives::Part));
    }
    for (name, test, cost) in all_tests() {
        let test = paid(name, test, cost, Gives::Part);
        environment.add_test(name, move |state: &mut State<'_, '_>, arguments: Rest<ValueOrKwargs>| {
            test(state, arguments).map(|value| value.is_true())
        });
    }
    let functions =
        [("range", Value::from_function(functions::range)), ("dict", Value::from_function(functions::dict))];
    for (name, function) in functions {
        environment.add_function(name, paid(name, function, texts, Gives::Something));
    }
}

/// A filter, test or function by its name, with what it costs.
type Known = (&'static str, Value, Cost);

/// Filters that make something.
fn makers() -> [Known; 35] {
    let escape = Value::from_function(filters::escape);
    [
        ("upper", Value::from_function(filters::upper), texts),
        ("lower", Value::from_function(filters::lower), texts),
        ("title", Value::from_function(filters::title), texts),
        ("capitalize", Value::from_function(filters::capitalize), texts),
        ("trim", Value::from_function(filters::trim), texts),
        ("split", Value::from_function(filters::split), texts),
        ("lines", Value::from_function(filters::lines), texts),
        ("safe", Value::from_function(filters::safe), texts),
        ("escape", escape.clone(), escaped),
        ("e", escape, escaped),
        ("replace", Value::from_function(filters::replace), replaced),
        ("join", Value::from_function(filters::join), joined),
        ("indent", Value::from_function(filters::indent), indented),
        ("format", Value::from_function(filters::format), formatted),
        ("batch", Value::from_function(filters::batch), parted),
        ("slice", Value::from_function(filters::slice), parted),
        ("sort", Value::from_function(filters::sort), compared),
        ("dictsort", Value::from_function(filters::dictsort), compared),
        ("unique", Value::from_function(filters::unique), compared),
        ("groupby", Value::from_function(filters::groupby), compared),
        ("sum", Value::from_function(filters::sum), added),
        ("map", Value::from_function(filters::map), lists),
        ("select", Value::from_function(filters::select), lists),
        ("reject", Value::from_function(filters::reject), lists),
        ("selectattr", Value::from_function(filters::selectattr), lists),
        ("rejectattr", Value::from_function(filters::rejectattr), lists),
        ("list", Value::from_function(filters::list), lists),
        ("reverse", Value::from_function(filters::reverse), lists),
        ("items", Value::from_function(filters::items), lists),
        ("chain", Value::from_function(filters::chain), lists),
        ("zip", Value::from_function(filters::zip), lists),
        ("int", Value::from_function(filters::int), texts),
        ("float", Value::from_function(filters::float), texts),
        ("numbered", Value::from_function(numbered), with_numbers),
        ("numbered_diff", Value::from_function(numbered_diff), with_numbers),
    ]
}

/// Filters that give a part of what they get, or a number.
fn pickers() -> [Known; 12] {
    let length = Value::from_function(filters::length);
    let default = Value::from_function(filters::default);
    [
        ("length", length.clone(), counted),
        ("count", length, counted),
        ("default", default.clone(), free),
        ("d", default, free),
        ("round", Value::from_function(filters::round), free),
        ("abs", Value::from_function(filters::abs), free),
        ("attr", Value::from_function(filters::attr), free),
        ("bool", Value::from_function(filters::bool), free),
        ("first", Value::from_function(filters::first), counted),
        ("last", Value::from_function(filters::last), lists),
        ("min", Value::from_function(filters::min), compared),
        ("max", Value::from_function(filters::max), compared),
    ]
}

fn all_tests() -> [Known; 42] {
    let [eq, ne, lt, le, gt, ge] = [
        Value::from_function(tests::is_eq),
        Value::from_function(tests::is_ne),
        Value::from_function(tests::is_lt),
        Value::from_function(tests::is_le),
        Value::from_function(tests::is_gt),
        Value::from_function(tests::is_ge),
    ];
    [
        ("undefined", Value::from_function(tests::is_undefined), free),
        ("defined", Value::from_function(tests::is_defined), free),
        ("none", Value::from_function(tests::is_none), free),
        ("safe", Value::from_function(tests::is_safe), free),
        ("escaped", Value::from_function(tests::is_safe), free),
        ("boolean", Value::from_function(tests::is_boolean), free),
        ("odd", Value::from_function(tests::is_odd), free),
        ("even", Value::from_function(tests::is_even), free),
        ("divisibleby", Value::from_function(tests::is_divisibleby), free),
        ("number", Value::from_function(tests::is_number), free),
        ("integer", Value::from_function(tests::is_integer), free),
        ("int", Value::from_function(tests::is_integer), free),
        ("float", Value::from_function(tests::is_float), free),
        ("string", Value::from_function(tests::is_string), free),
        ("sequence", Value::from_function(tests::is_sequence), free),
        ("iterable", Value::from_function(tests::is_iterable), free),
        ("mapping", Value::from_function(tests::is_mapping), free),
        ("true", Value::from_function(tests::is_true), free),
        ("false", Value::from_function(tests::is_false), free),
        ("filter", Value::from_function(tests::is_filter), free),
        ("test", Value::from_function(tests::is_test), free),
        ("startingwith", Value::from_function(tests::is_startingwith), texts),
        ("endingwith", Value::from_function(tests::is_endingwith), texts),
        ("lower", Value::from_function(tests::is_lower), texts),
        ("upper", Value::from_function(tests::is_upper), texts),
        ("sameas", Value::from_function(tests::is_sameas), texts),
        ("in", Value::from_function(tests::is_in), texts),
        ("eq", eq.clone(), texts),
        ("equalto", eq.clone(), texts),
        ("==", eq, texts),
        ("ne", ne.clone(), texts),
        ("!=", ne, texts),
        ("lt", lt.clone(), texts),
        ("lessthan", lt.clone(), texts),
        ("<", lt, texts),
        ("le", le.clone(), texts),
        ("<=", le, texts),
        ("gt", gt.clone(), texts),
        ("greaterthan", gt.clone(), texts),
        (">", gt, texts),
        ("ge", ge.clone(), texts),
        (">=", ge, texts),
    ]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    Something,
    /// A part of what it gets, which is as large as a template may make it already; or a number.
    Part,
}

fn paid(
    name: &'static str,
    filter: Value,
    cost: Cost,
    gives: Gives,
) -> impl Fn(&mut State<'_, '_>, Rest<ValueOrKwargs>) -> Result<Value, Error> + Send + Sync + 'static {
    move |state, arguments| {
        let arguments = arguments.into_values();
        let rendering = Rendering::of(state)?;
        if cost(&arguments, &rendering)? > MOST_FILTERED_BYTES {
            return Err(wrong(format!(
                "the result of '{name}' would exceed the limit of {MOST_FILTERED_BYTES} bytes"
            )));
        }
        let result = filter.call(state, &arguments)?;
        match gives {
            Gives::Something => settled(result, &rendering),
            Gives::Part => Ok(result),
        }
    }
}

/// Pays for a call, and says how many bytes of text it makes at most.
type Cost = fn(&[Value], &Rendering) -> Result<usize, Error>;

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message)
}

/// A value as a text, with numbers as they were written.
fn string(state: &mut State<'_, '_>, value: &Value) -> Result<Value, Error> {
    let rendering = Rendering::of(state)?;
    if let Some(number) = rendering.written(value) {
        return Ok(Value::from(number.as_str()));
    }
    match size(value, &rendering)? <= MOST_FILTERED_BYTES {
        true => filters::string(state, value),
        false => Err(wrong(format!("the text exceeds the limit of {MOST_FILTERED_BYTES} bytes"))),
    }
}

/// A text with a number in front of each line.
fn numbered(value: &Value) -> Result<Value, Error> {
    on_text(value, |text| Ok(numbered_lines(text)))
}

/// A unified diff with a number in front of each line that exists after the change.
fn numbered_diff(value: &Value) -> Result<Value, Error> {
    on_text(value, |text| {
        Diff::parse(text).map(|diff| diff.numbered()).map_err(|error| wrong(error.to_string()))
    })
}

/// What is made of a text is trusted like the text.
fn on_text(value: &Value, make: impl Fn(&str) -> Result<String, Error>) -> Result<Value, Error> {
    let Some(text) = value.as_str() else {
        return Err(wrong(format!("expected a string, got {}", value.kind())));
    };
    let made = make(text)?;
    Ok(if value.is_safe() { Value::from_safe_string(made) } else { Value::from(made) })
}

/// A line becomes longer by its number at most.
fn with_numbers(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    let bytes = texts(arguments, rendering)?;
    let lines = arguments.first().and_then(Value::as_str).unwrap_or_default().split('\n').count();
    Ok(bytes.saturating_add(lines.saturating_mul(LONGEST_NUMBER)))
}

/// The longest number of a line, with what is written around it.
const LONGEST_NUMBER: usize = 24;

/// How long a value is as a text, about. All of it is paid for.
fn size(value: &Value, rendering: &Rendering) -> Result<usize, Error> {
    if let Some(text) = value.as_str() {
        rendering.spend_bytes(text.len())?;
        return Ok(text.len());
    }
    let units = measure(value, rendering)?.units;
    rendering.spend(units)?;
    Ok(usize::try_from(units).unwrap_or(usize::MAX).saturating_mul(BYTES_A_UNIT))
}

/// A value of one unit has at most this many bytes as text, see [`Rendering::spend_bytes`].
const BYTES_A_UNIT: usize = 64;

fn free(_: &[Value], _: &Rendering) -> Result<usize, Error> {
    Ok(0)
}

/// The length of a text is found by going through it, that of a list is known.
fn counted(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    rendering.spend_bytes(arguments.first().and_then(Value::as_str).map_or(0, str::len))?;
    Ok(0)
}

fn texts(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    arguments.iter().try_fold(0_usize, |bytes, each| Ok(bytes.saturating_add(size(each, rendering)?)))
}

fn lists(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    let items = arguments.iter().map(|list| list.len().unwrap_or_default()).sum::<usize>();
    rendering.spend_bytes(arguments.first().and_then(Value::as_str).map_or(0, str::len))?;
    rendering.spend(1 + items as u64)?;
    Ok(0)
}

/// Items that are compared with each other, or what `attribute` names of them: each with about as many as the number of
/// items has binary digits.
fn compared(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    lists(arguments, rendering)?;
    let Some(items) = arguments.first() else { return Ok(0) };
    let units = match named(arguments, 1, "attribute").filter(|name| name.as_str().is_some()) {
        Some(attribute) => {
            let mut units: u64 = 0;
            for item in items.try_iter()? {
                let names = attribute.as_str().unwrap_or_default().split('.');
                let key = names.fold(item, |part, name| {
                    let index =
                        name.parse::<usize>().ok().and_then(|index| part.get_item_by_index(index).ok());
                    index.or_else(|| part.get_attr(name).ok()).unwrap_or_default()
                });
                units = units.saturating_add(measure(&key, rendering)?.units);
            }
            units
        }
        None => measure(items, rendering)?.units,
    };
    let rounds = items.len().unwrap_or_default().checked_ilog2().unwrap_or_default() + 1;
    rendering.spend(units.saturating_mul(u64::from(rounds)))?;
    Ok(0)
}

/// Numbers are added one after the other; what is longer is copied each time.
fn added(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    let items = arguments.first().and_then(Value::len).unwrap_or_default();
    lists(arguments, rendering)?;
    let Some(list) = arguments.first().filter(|list| list.kind() != ValueKind::String) else { return Ok(0) };
    let is_number = |item: Value| item.is_number();
    if arguments.len() > 1 || !list.try_iter()?.all(is_number) {
        let units = measure(list, rendering)?.units;
        rendering.spend(units.saturating_mul(items as u64) / BYTES_A_UNIT as u64)?;
    }
    Ok(0)
}

/// A character becomes at most six.
fn escaped(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    texts(arguments, rendering).map(|bytes| bytes.saturating_mul(6))
}

fn replaced(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    let bytes = texts(arguments, rendering)?;
    let [Some(text), Some(from), Some(to)] =
        [0, 1, 2].map(|place| arguments.get(place).and_then(Value::as_str))
    else {
        return Ok(bytes);
    };
    Ok(bytes.saturating_add(text.matches(from).count().saturating_mul(to.len())))
}

fn joined(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    let bytes = texts(arguments, rendering)?;
    let items = arguments.first().and_then(Value::len).unwrap_or_default();
    let between = named(arguments, 1, "d").and_then(|value| value.as_str().map(str::len));
    Ok(bytes.saturating_add(items.saturating_mul(between.unwrap_or_default())))
}

fn indented(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    let bytes = texts(arguments, rendering)?;
    let lines = arguments.first().and_then(Value::as_str).unwrap_or_default().split('\n').count();
    let width = named(arguments, 1, "width").and_then(|value| value.as_usize()).unwrap_or_default();
    Ok(bytes.saturating_add(lines.saturating_mul(width)))
}

/// A format may use one argument often, and ask for a width.
fn formatted(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    let bytes = texts(arguments, rendering)?;
    let format = arguments.first().and_then(Value::as_str).unwrap_or_default();
    let mut uses = 0_usize;
    for use_of in format.split('%').skip(1) {
        let rest =
            use_of.strip_prefix('(').and_then(|named| named.split_once(')')).map_or(use_of, |(_, rest)| rest);
        let flags = rest.find(|each: char| !"-+ #0123456789.*".contains(each)).unwrap_or(rest.len());
        let flags = rest.get(..flags).unwrap_or_default();
        let widths = flags.split(|each: char| !each.is_ascii_digit()).filter(|width| !width.is_empty());
        let fits = |width: &str| width.parse::<usize>().is_ok_and(|width| width <= WIDEST_FORMAT);
        if flags.contains('*') || !widths.into_iter().all(fits) {
            return Err(wrong(format!("expected a width up to {WIDEST_FORMAT} in '%{flags}'")));
        }
        uses += 1;
    }
    let given = bytes.saturating_sub(format.len());
    let all = if format.contains("%(") { given.saturating_mul(uses) } else { given };
    Ok(all.saturating_add(format.len()).saturating_add(uses.saturating_mul(2 * WIDEST_FORMAT)))
}

fn parted(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    lists(arguments, rendering)?;
    match arguments.get(1).and_then(Value::as_usize) {
        Some(count) if count > MOST_FILTERED_PARTS => {
            Err(wrong(format!("{count} exceeds the limit of {MOST_FILTERED_PARTS}")))
        }
        _ => Ok(0),
    }
}

/// An argument by its position, or by name after the others.
fn named(arguments: &[Value], place: usize, name: &str) -> Option<Value> {
    let last = arguments.last().filter(|last| last.is_kwargs());
    let by_name = last.and_then(|last| last.get_attr(name).ok()).filter(|value| !value.is_undefined());
    by_name.or_else(|| arguments.get(place).cloned())
}
