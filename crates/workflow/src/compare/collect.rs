//! Finds the entries in what siblings said.

use accord_domain::comparison::{ComparisonLimit, Key};
use serde_json::{Map, Value};

use super::entry::{Conflicting, Entry, comparable};
use super::rule::{self, Role, Rule, member};
use super::schema::Parts;
use super::{Omissions, Sibling, place};

/// Deeper values are not read. What a contract accepts is never that deep.
pub(super) const MAX_DEPTH: usize = 128;

/// All entries, sorted, without repetitions of one sibling.
pub(super) fn entries(siblings: &[Sibling<'_>], omissions: &mut Omissions) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (index, sibling) in siblings.iter().enumerate() {
        let mut reader = Reader { index, agent: sibling.agent, entries: &mut entries, omissions };
        let place = Spot { pointer: String::new(), name: "", depth: 0, inside: false };
        reader.read(sibling.output, &Parts::of_root(sibling.schema), &place);
    }
    entries.sort_by(Entry::order);
    // Repetitions of one sibling need not be neighbours where another says the same.
    let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        let same = kept.iter().rev().take_while(|other| other.says_what(&entry));
        if !same.into_iter().any(|other| other.sibling == entry.sibling) {
            kept.push(entry);
        }
    }
    kept
}

/// Where a value stands.
struct Spot<'v> {
    pointer: String,
    /// The name of the nearest member that holds it.
    name: &'v str,
    depth: usize,
    /// Whether it is part of an entry: there, only lists that the schema names are entries again.
    inside: bool,
}

impl<'v> Spot<'v> {
    fn member(&self, name: &'v str) -> Self {
        let escaped = name.replace('~', "~0").replace('/', "~1");
        Self {
            pointer: format!("{}/{escaped}", self.pointer),
            name,
            depth: self.depth + 1,
            inside: self.inside,
        }
    }

    fn item(&self, index: usize, inside: bool) -> Self {
        let inside = self.inside || inside;
        Self { pointer: format!("{}/{index}", self.pointer), name: self.name, depth: self.depth + 1, inside }
    }
}

/// Reads one sibling's output.
struct Reader<'r> {
    index: usize,
    agent: &'r str,
    entries: &'r mut Vec<Entry>,
    omissions: &'r mut Omissions,
}

impl Reader<'_> {
    fn read(&mut self, value: &Value, parts: &Parts<'_>, spot: &Spot<'_>) {
        if spot.depth > MAX_DEPTH {
            self.omissions.count(ComparisonLimit::Depth, 1);
            return;
        }
        match value {
            Value::Object(members) => {
                for (name, value) in members.iter().filter(|(_, value)| value.is_object() || value.is_array())
                {
                    self.read(value, &parts.member(name), &spot.member(name));
                }
            }
            Value::Array(items) => self.read_list(items, parts, spot),
            _ => {}
        }
    }

    fn read_list(&mut self, items: &[Value], parts: &Parts<'_>, spot: &Spot<'_>) {
        let of_items = parts.items();
        let rule = Rule::of(parts.iter().chain(of_items.iter()));
        let before = self.entries.len();
        if !rule.key.is_empty() && (rule.told || !spot.inside) {
            for (index, item) in items.iter().enumerate() {
                let pointer = || format!("{}/{index}", spot.pointer);
                self.entries.extend(self.entry(item, &rule, spot.name, pointer));
            }
        }
        let is_list_of_entries = rule.told || self.entries.len() > before;
        for (index, item) in items.iter().enumerate().filter(|(_, item)| item.is_object() || item.is_array())
        {
            self.read(item, &of_items, &spot.item(index, is_list_of_entries));
        }
    }

    /// An entry, if the value says what it is about.
    fn entry(&self, value: &Value, rule: &Rule, list: &str, pointer: impl Fn() -> String) -> Option<Entry> {
        value.as_object()?;
        let about = About::of(value, rule)?;
        let is_place = rule.is_place();
        let clearing = rule.clearing(value, list).filter(|_| is_place);
        let values = rule.conflict.iter().filter_map(|field| {
            let value = match &clearing {
                Some(clearing) => Value::from(clearing.word.clone()),
                None => member(value, field)?.clone(),
            };
            Some(Conflicting { field: field.clone(), same: comparable(&value), value })
        });
        let family = if is_place { String::new() } else { format!("{list}\0{}", rule.key.join("\0")) };
        Some(Entry {
            sibling: self.index,
            agent: self.agent.to_owned(),
            pointer: pointer(),
            family,
            place: about.place,
            lines: about.lines,
            exact: about.exact,
            line_name: about.line_name,
            key: about.key,
            values: values.collect(),
            text: rule.text_of(value),
            clearing,
        })
    }
}

/// What an entry is about.
struct About {
    place: String,
    lines: Option<place::Lines>,
    exact: bool,
    key: Key,
    line_name: Option<String>,
}

impl About {
    /// Reads the members of the key. Nothing where one is missing that is not a line.
    fn of(entry: &Value, rule: &Rule) -> Option<Self> {
        let mut about =
            Self { place: String::new(), lines: None, exact: true, key: Map::new(), line_name: None };
        for name in &rule.key {
            let written = member(entry, name);
            let file = written.and_then(place::file);
            let lines = written.and_then(place::lines);
            match (rule::role(name), written) {
                (Role::Line, _) if lines.is_some() || written.is_none() || !rule.told_key => {
                    about.lines = lines;
                    about.exact &= about.lines.is_some();
                    about.line_name = Some(name.clone());
                    let line = about.lines.map(|lines| Value::from(lines.first));
                    about.key.insert(name.clone(), line.unwrap_or_default());
                }
                (Role::File, _) if file.is_some() || !rule.told_key => {
                    let file = file?;
                    about.place.push_str(&comparable_place(&file));
                    about.key.insert(name.clone(), Value::from(file));
                }
                (_, written) => {
                    let value = written?;
                    about.place.push_str(&comparable_place(&comparable(value)));
                    about.key.insert(name.clone(), value.clone());
                }
            }
        }
        Some(about)
    }
}

/// One member of a place, ended so that two members cannot run into each other.
fn comparable_place(member: &str) -> String {
    format!("{member}\0")
}
