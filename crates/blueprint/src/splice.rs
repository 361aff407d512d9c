//! Writes a changed value into the text of its YAML file and keeps the comments and the style of everything else.
//!
//! Members are found by the lines of their names. A member's text is its lines up to the next member, without the comments
//! above that one. The new text is parsed, and used only if it gives the new value, so a construct that this module does not
//! support costs the comments and nothing else.
//!
//! Lists and values in braces are not edited in place: if something in them changed, they are written again as a whole.

use std::collections::HashMap;
use std::ops::Range;

use accord_contract::{JsonPath, same};
use serde_json::{Map, Value, json};

use crate::document::{MemberPosition, Position};
use crate::yaml;

/// Maximum positions on a line where a comment is tried to begin, because each costs a parse.
const MAX_COMMENT_TRIES: usize = 8;

/// The text with this value in it, or `None` if the whole file must be written again.
pub(crate) fn spliced(text: &str, wanted: &Value) -> Option<String> {
    let (value, positions) = yaml::read(text).ok()?;
    let (Value::Object(old), Value::Object(new)) = (&value, wanted) else { return None };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let line_break = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let all = 0..lines.len();
    let lines_of_file = Lines { lines, positions, line_break };
    let spliced = lines_of_file.object(&JsonPath::root(), all, old, new)?;
    let (again, _) = yaml::read(&spliced).ok()?;
    same(&again, wanted).then_some(spliced)
}

/// The lines of a file.
struct Lines<'a> {
    lines: Vec<&'a str>,
    positions: HashMap<String, MemberPosition>,
    line_break: &'static str,
}

/// The lines of one member.
struct Block {
    /// Its name and its value.
    body: Range<usize>,
    /// Comments and empty lines up to the next member.
    rest: Range<usize>,
    /// Spaces before its name.
    indent: usize,
}

impl Lines<'_> {
    /// The text of an object's lines with its new members.
    fn object(
        &self,
        place: &JsonPath,
        range: Range<usize>,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
    ) -> Option<String> {
        let blocks = self.blocks(place, &range, old)?;
        let first = blocks.first()?;
        let indent = first.indent;
        let mut text = self.text(range.start..first.body.start);
        let last = blocks.len().checked_sub(1)?;
        for (index, (block, (name, value))) in blocks.iter().zip(old).enumerate() {
            match new.get(name) {
                Some(wanted) if same(value, wanted) => text += &self.text(block.body.clone()),
                Some(wanted) => text += &self.member(&place.key(name), block, name, (value, wanted))?,
                None => {}
            }
            if index == last {
                for (name, value) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push_str(self.line_break);
                    }
                    text += &self.written(name, value, indent, "")?;
                }
            }
            text += &self.text(block.rest.clone());
        }
        Some(text)
    }

    /// The lines of each member, or `None` if they are not one below the other.
    fn blocks(
        &self,
        place: &JsonPath,
        range: &Range<usize>,
        members: &Map<String, Value>,
    ) -> Option<Vec<Block>> {
        let position = |name: &String| self.positions.get(&place.key(name).pointer())?.name;
        let names: Vec<Position> = members.keys().map(position).collect::<Option<_>>()?;
        let indent = (names.first()?.column as usize).checked_sub(1)?;
        let starts: Vec<usize> = names.iter().map(|name| (name.line as usize).saturating_sub(1)).collect();
        let ends = starts.iter().skip(1).chain([&range.end]);
        let mut blocks = Vec::new();
        for ((&start, &end), name) in starts.iter().zip(ends).zip(&names) {
            let spaces = self.lines.get(start)?.get(..indent)?;
            let fits = name.column as usize == indent + 1 && spaces.trim_start_matches(' ').is_empty();
            let is_inside = range.start <= start && start < end && end <= range.end;
            if !(fits && is_inside) {
                return None;
            }
            let between = self.lines.get(start + 1..end)?.iter().rev();
            let rest = end - between.take_while(|line| is_between(line, indent)).count();
            blocks.push(Block { body: start..rest, rest: rest..end, indent });
        }
        Some(blocks)
    }

    /// The text of a member whose value has changed.
    fn member(
        &self,
        place: &JsonPath,
        block: &Block,
        name: &str,
        (old, new): (&Value, &Value),
    ) -> Option<String> {
        if let (Value::Object(old), Value::Object(new)) = (old, new)
            && !new.is_empty()
            && !self.is_in_braces(place)
            && let Some(inside) = self.object(place, block.body.start + 1..block.body.end, old, new)
        {
            return Some(self.text(block.body.start..block.body.start + 1) + &inside);
        }
        let comment = match block.body.len() {
            1 => comment(self.lines.get(block.body.start)?, &json!({name: old})),
            _ => "",
        };
        self.written(name, new, block.indent, comment)
    }

    fn is_in_braces(&self, place: &JsonPath) -> bool {
        let begins = |at: Position| {
            let line = self.lines.get((at.line as usize).checked_sub(1)?)?;
            line.chars().nth((at.column as usize).checked_sub(1)?)
        };
        self.positions.get(&place.pointer()).and_then(|position| begins(position.value)) == Some('{')
    }

    /// The text of a member with a new value, and with a comment after its first line if that is possible.
    fn written(&self, name: &str, value: &Value, indent: usize, comment: &str) -> Option<String> {
        let written = yaml::write(&json!({name: value})).ok()?;
        let has_room = written.lines().count() == 1 || value.is_object() || value.is_array();
        let mut text = String::new();
        for (index, line) in written.lines().enumerate() {
            if !line.is_empty() {
                text.push_str(&" ".repeat(indent));
                text.push_str(line);
            }
            if index == 0 && has_room {
                text.push_str(comment);
            }
            text.push_str(self.line_break);
        }
        Some(text)
    }

    fn text(&self, range: Range<usize>) -> String {
        self.lines.get(range).map(<[&str]>::concat).unwrap_or_default()
    }
}

/// Whether a line is empty, or a comment that is not indented further than the names of the members. One that is may be
/// part of a block string.
fn is_between(line: &str, indent: usize) -> bool {
    let content = line.trim_start_matches(' ');
    content.trim().is_empty() || (content.starts_with('#') && line.len() - content.len() <= indent)
}

/// The comment on a member's line, with the spaces before it. The line must parse to the same value without it, because a
/// string may contain a '#'.
fn comment<'a>(line: &'a str, member: &Value) -> &'a str {
    let line = line.trim_end();
    let is_member = |before: &str| yaml::read(before).is_ok_and(|(value, _)| same(&value, member));
    let begins = line.match_indices(" #").map(|(at, _)| line.split_at(at).0.trim_end());
    let before = begins.take(MAX_COMMENT_TRIES).find(|before| is_member(before.trim_start()));
    before.and_then(|before| line.get(before.len()..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Applies a merge patch to the value of a text and splices the result.
    fn patched(text: &str, patch: Value) -> Option<String> {
        let mut value = yaml::read(text).unwrap().0;
        merge(&mut value, patch);
        spliced(text, &value)
    }

    fn merge(value: &mut Value, patch: Value) {
        let (Value::Object(members), Value::Object(changes)) = (&mut *value, patch.clone()) else {
            *value = patch;
            return;
        };
        for (name, change) in changes {
            if change.is_null() {
                members.shift_remove(&name);
            } else {
                merge(members.entry(name).or_insert(Value::Null), change);
            }
        }
    }

    const FILE: &str = "\
# An agent of ours.
---
name: a   # its name

# What it is for.
description: old  # shown in lists
executor: # who works
  # The cheap one.
  type: llm
  model: 'm # 1'  # not 2

  # At the end of the executor.
  provider: p
system_prompt: |
  # Not a comment
  at all.

# Labels.
tags: [x, y] # two
# The end.
";

    #[test]
    fn keeps_what_did_not_change() {
        let patch = json!({"description": "new", "executor": {"model": "other", "base_url": "u"}});
        let expected = FILE
            .replace("description: old", "description: new")
            .replace("model: 'm # 1'", "model: other")
            .replace("  provider: p\n", "  provider: p\n  base_url: u\n");
        assert_eq!(patched(FILE, patch).unwrap(), expected);
        assert_eq!(patched(FILE, json!({})).unwrap(), FILE);
    }

    #[test]
    fn writes_long_strings_lists_and_new_members() {
        let patch = json!({"system_prompt": "# New\nlines.\n", "tags": ["z"], "limits": {"max_steps": 3}});
        let expected = FILE
            .replace("  # Not a comment\n  at all.\n", "  # New\n  lines.\n")
            .replace("tags: [x, y] # two\n", "tags: # two\n- z\nlimits:\n  max_steps: 3\n");
        assert_eq!(patched(FILE, patch).unwrap(), expected);
    }

    #[test]
    fn removes_a_member_and_keeps_the_comments_around_it() {
        let patch = json!({"system_prompt": null, "executor": {"model": null}});
        let expected = FILE
            .replace("system_prompt: |\n  # Not a comment\n  at all.\n", "")
            .replace("  model: 'm # 1'  # not 2\n", "");
        assert_eq!(patched(FILE, patch).unwrap(), expected);
        // The last member of a file without a line break at its end.
        assert_eq!(patched("a: 1\nb: 2", json!({"b": null})).unwrap(), "a: 1\n");
        assert_eq!(patched("a: 1\nb: 2", json!({"c": 3})).unwrap(), "a: 1\nb: 2\nc: 3\n");
    }

    #[test]
    fn keeps_quoted_names_and_line_breaks() {
        let text = "\"name\": a # the name\r\n'tags':\r\n- x\r\n# End.\r\n";
        let expected =
            "\"name\": a # the name\r\ntags:\r\n- other\r\nlimits:\r\n  max_steps: 1\r\n# End.\r\n";
        let patch = json!({"tags": ["other"], "limits": {"max_steps": 1}});
        assert_eq!(patched(text, patch).unwrap(), expected);
    }

    #[test]
    fn writes_an_object_in_braces_again() {
        let text = "# Ours.\nname: a\nexecutor: { type: llm,\n  model: m }\n";
        let expected = "# Ours.\nname: a\nexecutor:\n  type: llm\n  model: other\n";
        assert_eq!(patched(text, json!({"executor": {"model": "other"}})).unwrap(), expected);
        let expected = "# Ours.\nname: a\nexecutor: {}\n";
        assert_eq!(patched(text, json!({"executor": {"model": null, "type": null}})).unwrap(), expected);
    }

    #[test]
    fn unsupported_text_is_none_or_has_the_same_value() {
        let patch = json!({"name": "b"});
        for text in [
            "{name: a, tags: [x]}\n",
            "{\n  name: a,\n  tags: [x]\n}\n",
            "name: &n a\nother: *n\n",
            "? name\n: a\n",
            "name: a\n...\n",
        ] {
            if let Some(written) = patched(text, patch.clone()) {
                let mut wanted = yaml::read(text).unwrap().0;
                wanted["name"] = json!("b");
                assert_eq!(yaml::read(&written).unwrap().0, wanted, "{written}");
            }
        }
        assert_eq!(patched("{name: a, tags: [x]}\n", patch), None);
        assert_eq!(spliced("[a]", &json!({"name": "b"})), None);
        assert_eq!(spliced("name: [", &json!({"name": "b"})), None);
    }
}
