//! Removes JSON escapes from a text, because one character can be written in many ways.

/// A text without its outermost escapes; `None` if it has no escapes.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let (character, behind) = escape(after).unwrap_or(('\\', after));
        plain.push(character);
        rest = behind;
    }
    plain.push_str(rest);
    (plain.len() < text.len()).then_some(plain)
}

/// The character that an escape means, and the rest of the text.
fn escape(text: &str) -> Option<(char, &str)> {
    let mut characters = text.chars();
    let character = match characters.next()? {
        same @ ('"' | '\\' | '/') => same,
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return by_number(characters.as_str()),
        _ => return None,
    };
    Some((character, characters.as_str()))
}

/// Characters that need more than four digits are written as two.
fn by_number(text: &str) -> Option<(char, &str)> {
    let (first, behind) = unit(text)?;
    match char::from_u32(first.into()) {
        Some(character) => Some((character, behind)),
        None => {
            let (second, behind) = unit(behind.strip_prefix("\\u")?)?;
            let character = char::decode_utf16([first, second]).next()?.ok()?;
            Some((character, behind))
        }
    }
}

fn unit(text: &str) -> Option<(u16, &str)> {
    let (digits, behind) = text.split_at_checked(4)?;
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = are_digits.then(|| u16::from_str_radix(digits, 16).ok()).flatten()?;
    Some((number, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_layer_is_removed() {
        let cases = [
            (r#"a\/b \"c\" \\d"#, "a/b \"c\" \\d"),
            (r"\u0061\u00E9\ud83d\uDE00!", "a\u{e9}\u{1f600}!"),
            (r"\n\r\t\b\f", "\n\r\t\u{8}\u{c}"),
            (r"\\u0061", r"\u0061"),
            (r"\x \u12 \ud83d \u+123 \/", r"\x \u12 \ud83d \u+123 /"),
        ];
        for (text, expected) in cases {
            assert_eq!(unescaped(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "plain", r"\x", "\\"] {
            assert_eq!(unescaped(text), None, "{text}");
        }
    }
}
