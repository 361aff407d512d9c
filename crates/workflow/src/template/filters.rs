//! Filters whose work is paid for and whose result is bounded. The library counts a filter as one step, whatever it does.
//!
//! Absent: `pprint`, which writes the library's own view of a value; `tojson` is for that. And the operators: the library
//! bounds what `*` makes, see [`super::growth`] for the others.

use minijinja::value::{Rest, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, ErrorKind, State, Value, filters};

use super::rendering::Rendering;
use super::values::pretty;
use crate::limits::{MOST_FILTERED_BYTES, MOST_FILTERED_PARTS, WIDEST_FORMAT};

pub(super) fn add_to(environment: &mut Environment<'static>) {
    environment.remove_filter("pprint");
    environment.add_filter("tojson", |state: &mut State<'_, '_>, value: &Value| {
        pretty(value, Rendering::of(state)?.as_ref())
    });
    environment.add_filter("string", string);
    let makers: [(&str, Value, Cost); 27] = [
        ("upper", Value::from_function(filters::upper), texts),
        ("lower", Value::from_function(filters::lower), texts),
        ("title", Value::from_function(filters::title), texts),
        ("capitalize", Value::from_function(filters::capitalize), texts),
        ("trim", Value::from_function(filters::trim), texts),
        ("split", Value::from_function(filters::split), texts),
        ("lines", Value::from_function(filters::lines), texts),
        ("replace", Value::from_function(filters::replace), replaced),
        ("join", Value::from_function(filters::join), joined),
        ("indent", Value::from_function(filters::indent), indented),
        ("format", Value::from_function(filters::format), formatted),
        ("batch", Value::from_function(filters::batch), parted),
        ("slice", Value::from_function(filters::slice), parted),
        ("sort", Value::from_function(filters::sort), lists),
        ("dictsort", Value::from_function(filters::dictsort), lists),
        ("unique", Value::from_function(filters::unique), lists),
        ("groupby", Value::from_function(filters::groupby), lists),
        ("map", Value::from_function(filters::map), lists),
        ("select", Value::from_function(filters::select), lists),
        ("reject", Value::from_function(filters::reject), lists),
        ("selectattr", Value::from_function(filters::selectattr), lists),
        ("rejectattr", Value::from_function(filters::rejectattr), lists),
        ("sum", Value::from_function(filters::sum), lists),
        ("min", Value::from_function(filters::min), lists),
        ("max", Value::from_function(filters::max), lists),
        ("list", Value::from_function(filters::list), lists),
        ("reverse", Value::from_function(filters::reverse), lists),
    ];
    for (name, filter, cost) in makers {
        let paid = move |state: &mut State<'_, '_>, arguments: Rest<ValueOrKwargs>| -> Result<Value, Error> {
            let arguments = arguments.into_values();
            let bytes = cost(&arguments, Rendering::of(state)?.as_ref())?;
            match bytes <= MOST_FILTERED_BYTES {
                true => filter.call(state, &arguments),
                false => Err(wrong(format!(
                    "'{name}' would make more than {MOST_FILTERED_BYTES} bytes, which is the most"
                ))),
            }
        };
        environment.add_filter(name, paid);
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
        false => Err(wrong(format!("the text has more than {MOST_FILTERED_BYTES} bytes, which is the most"))),
    }
}

/// How long a value is as a text, about. Each of its parts is paid for.
fn size(value: &Value, rendering: &Rendering) -> Result<usize, Error> {
    if let Some(text) = value.as_str() {
        rendering.spend_bytes(text.len())?;
        return Ok(text.len());
    }
    rendering.spend(1)?;
    let mut bytes = 8_usize;
    if matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
        for item in value.try_iter()? {
            bytes = bytes.saturating_add(size(&item, rendering)?);
            if value.kind() == ValueKind::Map {
                bytes = bytes.saturating_add(size(&value.get_item(&item)?, rendering)?);
            }
        }
    }
    Ok(bytes)
}

fn texts(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    arguments.iter().try_fold(0_usize, |bytes, each| Ok(bytes.saturating_add(size(each, rendering)?)))
}

fn lists(arguments: &[Value], rendering: &Rendering) -> Result<usize, Error> {
    let items = arguments.first().and_then(Value::len).unwrap_or_default();
    rendering.spend(1 + items as u64)?;
    Ok(0)
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
            return Err(wrong(format!("the width in '%{flags}' is no number up to {WIDEST_FORMAT}")));
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
            Err(wrong(format!("{count} is more than {MOST_FILTERED_PARTS}, which is the most")))
        }
        _ => Ok(0),
    }
}

/// An argument by its place, or by its name behind the others.
fn named(arguments: &[Value], place: usize, name: &str) -> Option<Value> {
    let last = arguments.last().filter(|last| last.is_kwargs());
    let by_name = last.and_then(|last| last.get_attr(name).ok()).filter(|value| !value.is_undefined());
    by_name.or_else(|| arguments.get(place).cloned())
}
