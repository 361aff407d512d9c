//! Functions on texts, with the names of CEL's `strings` library. Positions count characters.

use cel::common::types::CelString;
use cel::common::value::Val;
use regex::Regex;

use super::function::{
    Argument, Function, Made, Wrong, list, made_bool, made_count, made_int, made_list, made_text,
};
use super::function::{number, text, whole};
use crate::decimal::Rounding;
use crate::invariant::meter;
use crate::invariant::number::Number;
use crate::invariant::value::{describe, equal};
use crate::schema::pattern::{Size, size_of};

const TEXT: Option<&str> = Some("a string");
const NUMBER: Option<&str> = Some("a number");

pub(super) const TABLE: &[Function] = &[
    Function::new("contains", "text.contains(part) or list.contains(item)", (2, 2), None, contains),
    Function::new("startsWith", "text.startsWith(start)", (2, 2), None, |arguments| {
        let [text, start] = texts(arguments)?;
        made_bool(text.starts_with(start))
    }),
    Function::new("endsWith", "text.endsWith(end)", (2, 2), None, |arguments| {
        let [text, end] = texts(arguments)?;
        made_bool(text.ends_with(end))
    }),
    Function::new("matches", "text.matches(pattern)", (2, 2), None, matches),
    Function::new(
        "split",
        "text.split(separator) or text.split(separator, parts)",
        (2, 3),
        Some("a list"),
        split,
    ),
    Function::new("join", "list.join() or list.join(separator)", (1, 2), TEXT, join),
    Function::new("trim", "text.trim()", (1, 1), TEXT, |arguments| {
        changed(arguments, |text| text.trim().to_owned())
    }),
    Function::new("lower", "text.lower()", (1, 1), TEXT, |arguments| changed(arguments, str::to_lowercase)),
    Function::new("upper", "text.upper()", (1, 1), TEXT, |arguments| changed(arguments, str::to_uppercase)),
    Function::new("lowerAscii", "text.lowerAscii()", (1, 1), TEXT, |arguments| {
        changed(arguments, str::to_ascii_lowercase)
    }),
    Function::new("upperAscii", "text.upperAscii()", (1, 1), TEXT, |arguments| {
        changed(arguments, str::to_ascii_uppercase)
    }),
    Function::new("charAt", "text.charAt(position)", (2, 2), TEXT, char_at),
    Function::new("indexOf", "text.indexOf(part) or text.indexOf(part, start)", (2, 3), NUMBER, index_of),
    Function::new(
        "lastIndexOf",
        "text.lastIndexOf(part) or text.lastIndexOf(part, start)",
        (2, 3),
        NUMBER,
        last_index_of,
    ),
    Function::new(
        "replace",
        "text.replace(old, new) or text.replace(old, new, times)",
        (3, 4),
        TEXT,
        replace,
    ),
    Function::new(
        "substring",
        "text.substring(start) or text.substring(start, end)",
        (2, 3),
        TEXT,
        substring,
    ),
    Function::new("strings.quote", "strings.quote(text)", (1, 1), TEXT, quote),
    Function::new("format", "text.format(list)", (2, 2), TEXT, format),
];

fn texts<'b, const N: usize>(arguments: &[Argument<'b, '_>]) -> Result<[&'b str; N], Wrong> {
    let mut found = [""; N];
    for (place, argument) in found.iter_mut().zip(arguments) {
        *place = text(*argument)?;
    }
    Ok(found)
}

fn changed<'v>(arguments: &[Argument<'_, 'v>], change: impl Fn(&str) -> String) -> Made<'v> {
    let [text] = texts(arguments)?;
    made_text(change(text))
}

fn contains<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [whole, part] = arguments else { return Err(Wrong::Kinds) };
    match list(*whole) {
        Ok(items) => made_bool(items.iter().any(|item| equal(item.as_ref(), *part))),
        Err(_) => made_bool(text(*whole)?.contains(text(*part)?)),
    }
}

/// Compiling a pattern, which happens at each use, costs at least as much as visiting this many values.
const PATTERN_STEPS: u64 = 500;

/// Positions of a pattern that the engine checks in the time of one step, for each byte of the text.
const POSITIONS_PER_STEP: u64 = 64;

/// Like CEL's, the pattern may match any part of the text.
fn matches<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [text, pattern] = texts(arguments)?;
    let Size { parts, positions } = size_of(pattern);
    let steps = (text.len() as u64).saturating_mul(positions) / POSITIONS_PER_STEP;
    meter::spend(parts.max(PATTERN_STEPS).saturating_add(steps))?;
    let compiled = Regex::new(pattern).map_err(|error| {
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
        Wrong::Because(format!("{} is not a pattern: {reason}", crate::violation::escape::quoted(pattern)))
    })?;
    made_bool(compiled.is_match(text))
}

/// A limit, if there is one. Below zero, there is none.
fn limit(arguments: &[Argument<'_, '_>], at: usize) -> Result<Option<usize>, Wrong> {
    let limit = arguments.get(at).map(|limit| whole(*limit)).transpose()?;
    Ok(limit.and_then(|limit| usize::try_from(limit).ok()))
}

fn split<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [text, separator] = texts(arguments)?;
    let parts: Box<dyn Iterator<Item = &str>> = match (limit(arguments, 2)?, separator) {
        (Some(0), _) => Box::new(std::iter::empty()),
        // Between characters only: what is before the first and after the last is no part.
        (None, "") => Box::new(text.split("").filter(|part| !part.is_empty())),
        (Some(limit), "") => {
            let cut = text.char_indices().nth(limit - 1).map_or(text.len(), |(offset, _)| offset);
            let (characters, rest) = text.split_at(cut);
            let rest = Some(rest).filter(|rest| !rest.is_empty());
            Box::new(characters.split("").filter(|part| !part.is_empty()).chain(rest))
        }
        (None, separator) => Box::new(text.split(separator)),
        (Some(limit), separator) => Box::new(text.splitn(limit, separator)),
    };
    let mut made: Vec<Box<dyn Val + 'v>> = Vec::new();
    for part in parts {
        meter::spend(1)?;
        made.push(Box::new(CelString::from(part.to_owned())));
    }
    made_list(made)
}

fn join<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [items, separator @ ..] = arguments else { return Err(Wrong::Kinds) };
    let separator = separator.first().map_or(Ok(""), |separator| text(*separator))?;
    let mut parts = Vec::new();
    let mut bytes = 0usize;
    for (index, item) in list(*items)?.iter().enumerate() {
        let part = text(item.as_ref()).map_err(|_| Wrong::Item(index))?;
        bytes = bytes.saturating_add(part.len()).saturating_add(separator.len());
        parts.push(part);
    }
    meter::spend(meter::bytes_cost(bytes))?;
    made_text(parts.join(separator))
}

/// The offset in bytes of a position, if the text has it. Its end is one.
fn offset(text: &str, position: usize) -> Option<usize> {
    text.char_indices().map(|(offset, _)| offset).chain([text.len()]).nth(position)
}

fn no_position(text: &str, position: i64) -> Wrong {
    Wrong::Because(format!("a string of {} characters has no position {position}", text.chars().count()))
}

fn position(text: &str, argument: Argument<'_, '_>) -> Result<usize, Wrong> {
    let position = whole(argument)?;
    let found = usize::try_from(position).ok().and_then(|position| offset(text, position));
    found.ok_or_else(|| no_position(text, position))
}

fn char_at<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [value, at] = arguments else { return Err(Wrong::Kinds) };
    let value = text(*value)?;
    let rest = value.get(position(value, *at)?..).unwrap_or_default();
    made_text(rest.chars().take(1).collect())
}

fn made_position<'v>(text: &str, offset: Option<usize>) -> Made<'v> {
    match offset {
        Some(offset) => made_count(text.get(..offset).unwrap_or_default().chars().count()),
        None => made_int(-1),
    }
}

fn index_of<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [text, part] = texts(arguments)?;
    let start = arguments.get(2).map_or(Ok(0), |start| position(text, *start))?;
    made_position(text, text.get(start..).and_then(|rest| rest.find(part)).map(|found| start + found))
}

/// The last occurrence that begins at a position or before it.
fn last_index_of<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [text, part] = texts(arguments)?;
    let start = arguments.get(2).map_or(Ok(text.len()), |start| position(text, *start))?;
    let end = (start + part.len()).min(text.len());
    let end = (end..=text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
    made_position(text, text.get(..end).and_then(|before| before.rfind(part)))
}

fn replace<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [text, old, new] = texts(arguments)?;
    let limit = limit(arguments, 3)?.unwrap_or(usize::MAX);
    let times = text.matches(old).take(limit).count();
    meter::spend(meter::bytes_cost(times.saturating_mul(new.len())))?;
    made_text(text.replacen(old, new, times))
}

fn substring<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [value, start, end @ ..] = arguments else { return Err(Wrong::Kinds) };
    let value = text(*value)?;
    let from = position(value, *start)?;
    let to = end.first().map_or(Ok(value.len()), |end| position(value, *end))?;
    let part = value.get(from..to).ok_or_else(|| Wrong::Because("the end is before the start".to_owned()))?;
    made_text(part.to_owned())
}

/// As CEL writes a text.
fn quote<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [text] = texts(arguments)?;
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            character => quoted.push(character),
        }
    }
    quoted.push('"');
    made_text(quoted)
}

/// How many digits after the point a directive may ask for.
const MOST_PLACES: usize = 100;

/// `%s`, `%d`, `%f` and `%.2f`, `%x`, `%X`, `%o`, `%b` and `%%`.
fn format<'v>(arguments: &[Argument<'_, 'v>]) -> Made<'v> {
    let [template, values] = arguments else { return Err(Wrong::Kinds) };
    let (template, values) = (text(*template)?, list(*values)?);
    let mut values = values.iter();
    let mut made = String::new();
    let mut rest = template;
    while let Some((before, directive)) = rest.split_once('%') {
        made.push_str(before);
        let end = directive.find(|character: char| !character.is_ascii_digit() && character != '.');
        let unknown = || Wrong::Because("'%' is followed by none of s, d, f, x, X, o, b and %".to_owned());
        let (places, after) = directive.split_at_checked(end.ok_or_else(unknown)?).ok_or_else(unknown)?;
        let mut characters = after.chars();
        let verb = characters.next().ok_or_else(unknown)?;
        rest = characters.as_str();
        if verb == '%' {
            made.push('%');
            continue;
        }
        let value = values
            .next()
            .ok_or_else(|| Wrong::Because("there are fewer values than directives".to_owned()))?;
        let written = directed(verb, places, value.as_ref()).ok_or_else(unknown)??;
        meter::spend(1 + meter::bytes_cost(written.len()))?;
        made.push_str(&written);
    }
    made.push_str(rest);
    if values.next().is_some() {
        return Err(Wrong::Because("there are more values than directives".to_owned()));
    }
    made_text(made)
}

/// A value as a directive writes it; `None` if there is no such directive.
fn directed(verb: char, places: &str, value: Argument<'_, '_>) -> Option<Result<String, Wrong>> {
    let refused = || Wrong::Because(format!("%{verb} does not accept {}", describe(value)));
    let based = |write: fn(u64) -> String| {
        let integer = Number::of(value).and_then(|number| number.whole()).ok_or_else(refused)?;
        Ok(format!("{}{}", if integer < 0 { "-" } else { "" }, write(integer.unsigned_abs())))
    };
    let places: Option<usize> = match places.strip_prefix('.') {
        Some(places) => Some(places.parse().ok().filter(|places| *places <= MOST_PLACES)?),
        None if places.is_empty() => None,
        None => return None,
    };
    Some(match verb {
        's' if places.is_none() => super::types::written(value).ok_or_else(refused),
        'd' if places.is_none() => number(value).map_err(|_| refused()).and_then(|number| {
            let whole =
                number.decimal().rounded(0, Rounding::Down).filter(|whole| *whole == number.decimal());
            whole.map(|whole| whole.plain()).ok_or_else(refused)
        }),
        'f' => number(value)
            .map_err(|_| refused())
            .and_then(|number| number.decimal().fixed(places.unwrap_or(6)).ok_or_else(refused)),
        'x' if places.is_none() => based(|number| format!("{number:x}")),
        'X' if places.is_none() => based(|number| format!("{number:X}")),
        'o' if places.is_none() => based(|number| format!("{number:o}")),
        'b' if places.is_none() => based(|number| format!("{number:b}")),
        _ => return None,
    })
}
