//! Names of files in diffs.

/// The names after `---` and `+++`; `None` for `/dev/null`. The `a/` and `b/` of git are removed if
/// both sides have them.
pub(super) fn of_sides(old: &str, new: &str) -> (Option<String>, Option<String>) {
    let (old, new) = (of_side(old), of_side(new));
    let has = |name: &Option<String>, prefix| name.as_ref().is_none_or(|name| name.starts_with(prefix));
    if has(&old, "a/") && has(&new, "b/") {
        let rest = |name: String| name.chars().skip(2).collect();
        return (old.map(rest), new.map(rest));
    }
    (old, new)
}

fn of_side(written: &str) -> Option<String> {
    // `diff -u` writes the time of the file after a tab.
    let name = if written.starts_with('"') { written } else { written.split('\t').next().unwrap_or(written) };
    let name = unquoted(name.trim_end());
    (name != "/dev/null").then_some(name)
}

/// The name in `a/NAME b/NAME`, for files that have no `---` and `+++`. A rename has a separate
/// line for its name.
pub(super) fn of_header(names: &str) -> String {
    if let Some(middle) = names.strip_prefix('"').and_then(|_| names.rfind(" \"")) {
        return after_prefix(&unquoted(names.get(middle + 1..).unwrap_or_default()));
    }
    // Both halves are the same but for their prefixes.
    let (one, other) = names.split_at_checked(names.len() / 2).unwrap_or((names, ""));
    let other = other.strip_prefix(' ').unwrap_or(other);
    let name = if one.len() == other.len() { other } else { names.rsplit(' ').next().unwrap_or(names) };
    after_prefix(name)
}

fn after_prefix(name: &str) -> String {
    name.strip_prefix("b/").unwrap_or(name).to_owned()
}

/// A name without the quotes and escapes that git writes around unusual characters.
pub(super) fn unquoted(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else {
        return name.to_owned();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let Some(escaped) = rest.next() else { break };
        bytes.push(match escaped {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'a' => 7,
            b'b' => 8,
            b'v' => 11,
            b'f' => 12,
            b'0'..=b'7' => {
                let mut value = escaped - b'0';
                for _ in 0..2 {
                    let Some(digit) = rest.next_if(|digit| (b'0'..=b'7').contains(digit)) else { break };
                    value = value.wrapping_mul(8).wrapping_add(digit - b'0');
                }
                value
            }
            other => other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
