//! Square brackets of markdown and of code: the box of a task, the words of a link, a subscript, the type of a list.
//! They hold no list, whatever stands in them.

/// What stands in such brackets is short.
const MAX_BYTES: usize = 256;

/// Where the text goes on behind the brackets that open at a place, if they are such ones.
pub(crate) fn end(text: &str, at: usize) -> Option<usize> {
    let (inside, behind) = bracket(text.get(at..)?)?;
    let before = text.get(..at)?;
    let behind = match reference(inside, behind) {
        Some(behind) => behind,
        None if is_task(before, inside, behind) || is_link(inside, behind) || is_subscript(before) => behind,
        None => return None,
    };
    Some(text.len() - behind.len())
}

/// What stands in brackets without others in them, and what stands behind them.
fn bracket(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('[')?;
    let length =
        inside.bytes().take(MAX_BYTES).position(|byte| matches!(byte, b']' | b'[' | b'{' | b'\n'))?;
    Some((inside.get(..length)?, inside.get(length..)?.strip_prefix(']')?))
}

/// What stands behind `[words][1]`.
fn reference<'a>(inside: &str, behind: &'a str) -> Option<&'a str> {
    let is_words = inside.starts_with(char::is_alphabetic) && !inside.contains(['"', ',']);
    bracket(behind).filter(|_| is_words).map(|(_, behind)| behind)
}

/// `- [ ] to do`
fn is_task(before: &str, inside: &str, behind: &str) -> bool {
    /// Nobody indents further.
    const INDENT: usize = 32;
    let near = before.as_bytes().get(before.len().saturating_sub(INDENT)..).unwrap_or_default();
    let line = near.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
    let is_bullet = match line {
        b"-" | b"*" | b"+" | b"\xe2\x80\xa2" => true,
        [number @ .., b'.' | b')'] => !number.is_empty() && number.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    is_bullet && matches!(inside, " " | "x" | "X") && behind.starts_with(' ')
}

/// `[words](address)`
fn is_link(inside: &str, behind: &str) -> bool {
    let Some(address) = behind.strip_prefix('(') else { return false };
    let length = address.bytes().take(MAX_BYTES).position(|byte| byte == b')' || byte.is_ascii_whitespace());
    !inside.contains('"') && length.is_some_and(|length| length > 0)
}

/// `rows[0]`, `f(x)["a"]`, `string[]`. A colour of a terminal is no name.
fn is_subscript(before: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let length = before.bytes().rev().take(MAX_BYTES).take_while(|byte| is_name(*byte)).count();
    let (rest, name) = before.split_at(before.len() - length);
    let is_colour = rest.ends_with("\u{1b}[");
    before.ends_with(')') || (length > 0 && !is_colour && !name.eq_ignore_ascii_case("json"))
}
