//! Values in code that goes on to take them apart or to change them: `[1, 2][:1]`, `[0] * 3`, `r = {…}` and then
//! `r["a"] = 2`. Such a value is not what the code stands for, and nothing here computes.

/// A subscript or a name is short; what is longer is something else.
const MAX_NAME_BYTES: usize = 64;

/// So far behind an assignment the code is looked at.
const MAX_CODE_BYTES: usize = 1024;

/// Where the text goes on behind the code that a value is a part of, if it is one.
pub(crate) fn end(text: &str, start: usize, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let behind = bytes.get(end..)?;
    let is_list = bytes.get(start) == Some(&b'[');
    let length = subscript(behind, is_list)
        .or_else(|| if is_list { repetition(behind) } else { None })
        .or_else(|| call(behind))
        .or_else(|| change(bytes.get(..start)?, behind))?;
    Some(end + length)
}

/// The length of a subscript directly behind a value: a slice, a key of an object, or an index that is no reference to
/// a source, as `[1]` may be.
fn subscript(behind: &[u8], is_list: bool) -> Option<usize> {
    let inside = behind.strip_prefix(b"[")?;
    let length = inside.iter().take(MAX_NAME_BYTES).position(|byte| *byte == b']')?;
    let inside = inside.get(..length)?.trim_ascii();
    let is_index = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let is_slice = inside.contains(&b':')
        && inside.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'-' | b' '));
    let is_key = match inside {
        [open @ (b'"' | b'\''), name @ .., close] => !is_list && open == close && !name.contains(open),
        [b'-', digits @ ..] => is_index(digits),
        _ => inside == b"0",
    };
    (is_slice || is_key).then_some(length + 2)
}

/// The length of `* 3` at the end of a line.
fn repetition(behind: &[u8]) -> Option<usize> {
    let count = trim_spaces(trim_spaces(behind).strip_prefix(b"*")?);
    let digits = count.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = count.get(digits..)?;
    let ends = matches!(trim_spaces(rest).first(), None | Some(b'\n' | b'\r' | b')' | b';' | b'#' | b'`'));
    (digits > 0 && ends).then_some(behind.len() - rest.len())
}

/// The length of `.name(…)` directly behind a value. A call that never ends takes the rest.
fn call(behind: &[u8]) -> Option<usize> {
    let named = behind.strip_prefix(b".")?;
    let name = named.iter().take(MAX_NAME_BYTES).take_while(|byte| is_name(**byte)).count();
    if !named.first().is_some_and(|byte| byte.is_ascii_alphabetic()) || named.get(name) != Some(&b'(') {
        return None;
    }
    let mut depth = 0_usize;
    let close = behind.iter().position(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *byte == b')' && depth == 0
    });
    Some(close.map_or(behind.len(), |close| close + 1))
}

/// The length of the code behind an assignment that changes what was assigned, up to the end of its paragraph or of its
/// fence.
fn change(before: &[u8], behind: &[u8]) -> Option<usize> {
    let name = assigned(before)?;
    let near = behind.get(..MAX_CODE_BYTES).unwrap_or(behind);
    let changes = near.split(|byte| *byte == b'\n').skip(1).any(|line| {
        let Some(rest) = line.trim_ascii_start().strip_prefix(name) else { return false };
        match rest {
            [b'[', ..] => true,
            [b'.', next, ..] => next.is_ascii_alphabetic(),
            _ => matches!(trim_spaces(rest), [b'+' | b'-' | b'*' | b'|', b'=', ..]),
        }
    });
    let stop = || behind.windows(3).position(|part| part.starts_with(b"\n\n") || part == b"```");
    changes.then(|| stop().unwrap_or(behind.len()))
}

/// The name to which what follows is assigned.
fn assigned(before: &[u8]) -> Option<&[u8]> {
    let target = before.trim_ascii_end().strip_suffix(b"=")?;
    let line = target.get(target.len().saturating_sub(2 * MAX_NAME_BYTES)..)?;
    let line = line.rsplit(|byte| *byte == b'\n').next()?.trim_ascii();
    let keyword =
        [b"let ".as_slice(), b"const ", b"var "].into_iter().find_map(|word| line.strip_prefix(word));
    let line = keyword.unwrap_or(line).trim_ascii_start();
    let name = line.get(..line.iter().take_while(|byte| is_name(**byte)).count())?;
    let rest = trim_spaces(line.get(name.len()..)?);
    // A type may stand between the name and the sign.
    (!name.is_empty() && matches!(rest.first(), None | Some(b':'))).then_some(name)
}

fn trim_spaces(bytes: &[u8]) -> &[u8] {
    bytes.get(bytes.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count()..).unwrap_or_default()
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
