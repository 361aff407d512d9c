//! The `use` declarations and the paths in Rust code. Code is read as tokens; comments and texts are left out.

/// A name that a `use` declaration brings into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Use {
    /// What it stands for, segment by segment; the last one is `*` for everything.
    pub(super) path: Vec<String>,
    pub(super) name: String,
    /// Whether others see it.
    pub(super) exported: bool,
}

/// What a file names.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) uses: Vec<Use>,
    /// The paths of at least two segments outside of `use` declarations.
    pub(super) paths: Vec<Vec<String>>,
}

/// Everything that some code names.
pub(super) fn names(code: &str) -> Names {
    let tokens = tokens(code);
    let mut names = Names::default();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if token == "use" && tokens.get(at + 1).is_some_and(|next| next != "<") {
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            let exported = before.is_some_and(|before| before == "pub" || before == ")");
            at = tree(&tokens, at + 1, &[], exported, &mut names.uses);
            continue;
        }
        if token == "mod" {
            at += 2;
            continue;
        }
        let mut path = vec![token.clone()];
        at += 1;
        if is_word(token) {
            while let [separator, segment, ..] = tokens.get(at..).unwrap_or_default()
                && separator == "::"
                && is_word(segment)
            {
                path.push(segment.clone());
                at += 2;
            }
            names.paths.push(path);
        }
    }
    names
}

/// Reads one tree of a `use` declaration, and returns where it ends.
fn tree(tokens: &[String], mut at: usize, before: &[String], exported: bool, uses: &mut Vec<Use>) -> usize {
    let mut path = before.to_vec();
    let mut alias = None;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.as_str() {
            "::" => {}
            "{" => loop {
                at = tree(tokens, at, &path, exported, uses);
                match tokens.get(at).map(String::as_str) {
                    Some(",") => at += 1,
                    Some("}") => return at + 1,
                    _ => return at,
                }
            },
            "as" => {
                alias = tokens.get(at).cloned();
                at += 1;
            }
            "," | "}" | ";" => {
                at -= 1;
                break;
            }
            _ => path.push(token.clone()),
        }
    }
    if path.len() > before.len() {
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        let name = alias.or_else(|| path.last().cloned()).unwrap_or_default();
        uses.push(Use { path, name, exported });
    }
    at
}

fn is_word(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Words, `::` and single signs, without comments, texts and characters.
fn tokens(code: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '"' => text_length(rest),
            '\'' => character_length(rest),
            'r' if raw_text_length(rest).is_some() => raw_text_length(rest).unwrap_or_default(),
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                let is_part = |each: char| each.is_alphanumeric() || each == '_';
                let length = match rest.find(|each| !is_part(each)).unwrap_or(rest.len()) {
                    0 if rest.starts_with("::") => 2,
                    0 => first.len_utf8(),
                    word => word,
                };
                tokens.push(rest[..length].to_owned());
                length
            }
        };
        rest = &rest[length..];
    }
    tokens
}

fn text_length(rest: &str) -> usize {
    let mut escaped = false;
    let end = rest.char_indices().skip(1).find(|(_, each)| {
        let ends = *each == '"' && !escaped;
        escaped = *each == '\\' && !escaped;
        ends
    });
    end.map_or(rest.len(), |(at, _)| at + 1)
}

fn raw_text_length(rest: &str) -> Option<usize> {
    let hashes = rest[1..].bytes().take_while(|byte| *byte == b'#').count();
    let begin = rest[1 + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(2 + hashes + begin.find(&end).map_or(begin.len(), |at| at + end.len()))
}

/// A character, or only the sign before the name of a lifetime.
fn character_length(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1);
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), Some((escaped, _))) => {
            rest[escaped + 1..].find('\'').map_or(1, |end| escaped + end + 2)
        }
        (Some(_), Some((end, '\''))) => end + 1,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(code: &str) -> (Vec<String>, Vec<String>) {
        let names = names(code);
        let uses = names.uses.into_iter().map(|each| {
            format!("{}{} {}", if each.exported { "pub " } else { "" }, each.path.join("::"), each.name)
        });
        let paths = names.paths.into_iter().filter(|path| path.len() > 1);
        (uses.collect(), paths.map(|path| path.join("::")).collect())
    }

    #[test]
    fn declarations_are_taken_apart() {
        let code =
            "pub(crate) use a::{b, c::{self, d as e}, f::*};\nuse g;\nfn h<'a>() -> impl I + use<'a> {}";
        let uses = ["pub a::b b", "pub a::c c", "pub a::c::d e", "pub a::f::* *", "g g"];
        assert_eq!(joined(code).0, uses);
    }

    #[test]
    fn paths_are_found_between_texts_and_characters() {
        let code = "let a = ('\"', b::c(\"d::e\"), '\\'', f::g::<'a', h::i>, r#\"\"j::k\"#, b'\\\\', l::m); // n::o\nfn p<'q>(r: s::t) {}";
        assert_eq!(joined(code).1, ["b::c", "f::g", "h::i", "l::m", "s::t"]);
    }
}
