//! Finds the entries in the outputs of siblings.

use accord_contract::JsonPath;
use accord_domain::comparison::{ComparisonLimit, Key};
use serde_json::{Map, Value};

use super::entry::{Conflicting, Entry, comparable};
use super::omissions::{MAX_DEPTH, Omissions};
use super::options::Sibling;
use super::rule::{self, Role, Rule, member};
use super::schema::Parts;
use super::{diff_names, location};

/// All entries, sorted, without repetitions of one sibling.
pub(super) fn entries(siblings: &[Sibling<'_>], omissions: &mut Omissions) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (index, sibling) in siblings.iter().enumerate() {
        let mut reader = Reader { index, agent: sibling.agent, entries: &mut entries, omissions };
        let (value, parts) = (sibling.output, Parts::of_root(sibling.schema));
        match (value, sibling.is_map) {
            (Value::Array(outputs), true) => reader.read_outputs(outputs, &parts),
            _ => reader.read_value(value, &parts, &ValueLocation::root()),
        }
    }
    diff_names::resolve(&mut entries);
    entries.sort_by(Entry::order);
    // Repetitions of one sibling need not be neighbours if another has the same entry.
    let mut kept: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        let same = kept.iter().rev().take_while(|other| other.has_same_content(&entry));
        if !same.into_iter().any(|other| other.sibling == entry.sibling) {
            kept.push(entry);
        }
    }
    kept
}

/// The location of a value in an output.
struct ValueLocation<'v> {
    pointer: String,
    /// The name of the nearest member that holds it.
    name: &'v str,
    depth: usize,
    /// Whether it is in a list: then its pointer does not say what it is about.
    in_list: bool,
    /// Whether it is part of an entry: there, only lists that the schema names are entries again.
    inside: bool,
}

impl<'v> ValueLocation<'v> {
    fn root() -> Self {
        Self { pointer: String::new(), name: "", depth: 0, in_list: false, inside: false }
    }

    fn member(&self, name: &'v str) -> Self {
        let escaped = name.replace('~', "~0").replace('/', "~1");
        let (in_list, inside) = (self.in_list, self.inside);
        Self { pointer: format!("{}/{escaped}", self.pointer), name, depth: self.depth + 1, in_list, inside }
    }

    fn item(&self, index: usize, inside: bool) -> Self {
        Self {
            pointer: format!("{}/{index}", self.pointer),
            name: self.name,
            depth: self.depth + 1,
            in_list: true,
            inside: self.inside || inside,
        }
    }

    /// The path of a value outside of lists, such as `$.review`.
    fn path(&self) -> String {
        let steps = self.pointer.split('/').skip(1);
        let names = steps.map(|step| step.replace("~1", "/").replace("~0", "~"));
        names.fold(JsonPath::root(), |place, name| place.key(&name)).path()
    }
}

struct Reader<'r> {
    index: usize,
    agent: &'r str,
    entries: &'r mut Vec<Entry>,
    omissions: &'r mut Omissions,
}

impl Reader<'_> {
    /// Reads a value that is not an item of a list: an object with annotations is an entry by itself.
    fn read_value(&mut self, value: &Value, parts: &Parts<'_>, spot: &ValueLocation<'_>) {
        if value.is_object() && spot.depth <= MAX_DEPTH {
            let entry = self.single(value, Rule::of(parts.iter()), spot);
            self.entries.extend(entry);
        }
        self.read(value, parts, spot);
    }

    fn read(&mut self, value: &Value, parts: &Parts<'_>, spot: &ValueLocation<'_>) {
        if spot.depth > MAX_DEPTH {
            self.omissions.count(ComparisonLimit::Depth, 1);
            return;
        }
        match value {
            Value::Object(members) => {
                for (name, value) in members.iter().filter(|(_, value)| value.is_object() || value.is_array())
                {
                    self.read_value(value, &parts.member(name), &spot.member(name));
                }
            }
            Value::Array(items) => self.read_list(items, parts, spot),
            _ => {}
        }
    }

    fn read_list(&mut self, items: &[Value], parts: &Parts<'_>, spot: &ValueLocation<'_>) {
        let of_items = parts.items();
        let rule = Rule::of(parts.iter().chain(of_items.iter()));
        let before = self.entries.len();
        self.read_entries(items, &rule, spot);
        let is_list_of_entries = rule.told || self.entries.len() > before;
        self.read_items(items, &of_items, |index| spot.item(index, is_list_of_entries));
    }

    /// Reads the output of a map. Each output is read by itself: one that only names its file is not an entry whose parts
    /// are skipped, and the parts of one that is an entry by its schema are read too, as outside of a map.
    fn read_outputs(&mut self, outputs: &[Value], parts: &Parts<'_>) {
        let (root, of_outputs) = (ValueLocation::root(), parts.items());
        let rule = Rule::of(of_outputs.iter());
        let before = self.entries.len();
        self.read_entries(outputs, &rule, &root);
        let mut found = self.entries.iter().skip(before);
        let are_findings = !rule.told && found.any(|entry| entry.lines.is_some());
        self.read_items(outputs, &of_outputs, |index| root.item(index, are_findings));
    }

    fn read_entries(&mut self, items: &[Value], rule: &Rule, spot: &ValueLocation<'_>) {
        if rule.key.is_empty() || (spot.inside && !rule.told) {
            return;
        }
        for (index, item) in items.iter().enumerate() {
            let pointer = || format!("{}/{index}", spot.pointer);
            let entry = self.entry(item, rule, spot.name, pointer);
            self.entries.extend(entry);
        }
    }

    fn read_items<'v>(
        &mut self,
        items: &[Value],
        parts: &Parts<'_>,
        spot: impl Fn(usize) -> ValueLocation<'v>,
    ) {
        for (index, item) in items.iter().enumerate().filter(|(_, item)| item.is_object() || item.is_array())
        {
            self.read(item, parts, &spot(index));
        }
    }

    /// An object that is not an item, as an entry, if its schema has annotations. Without a key it is about its own location,
    /// unless that is in a list: the first items of two lists need not be about the same.
    fn single(&self, value: &Value, mut rule: Rule, spot: &ValueLocation<'_>) -> Option<Entry> {
        let pointer = || spot.pointer.clone();
        if rule.told_key {
            return if rule.key.is_empty() { None } else { self.entry(value, &rule, spot.name, pointer) };
        }
        if !rule.told || spot.in_list {
            return None;
        }
        rule.key.clear();
        let mut entry = self.entry(value, &rule, &spot.pointer, pointer)?;
        entry.key.insert("at".to_owned(), Value::from(spot.path()));
        Some(entry)
    }

    /// An entry, if the value says what it is about.
    fn entry(&self, value: &Value, rule: &Rule, list: &str, pointer: impl Fn() -> String) -> Option<Entry> {
        value.as_object()?;
        let about = Subject::of(value, rule)?;
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

struct Subject {
    place: String,
    lines: Option<location::Lines>,
    exact: bool,
    key: Key,
    line_name: Option<String>,
}

impl Subject {
    /// Reads the members of the key. `None` if one other than the line is missing.
    fn of(entry: &Value, rule: &Rule) -> Option<Self> {
        let mut about =
            Self { place: String::new(), lines: None, exact: true, key: Map::new(), line_name: None };
        let behind = LineSuffix::of(entry, rule);
        for name in &rule.key {
            let written = member(entry, name);
            let whole = || written.and_then(location::file);
            let file = behind.as_ref().map(|behind| behind.file.clone()).or_else(whole);
            let lines = written.and_then(location::lines);
            match (rule::role(name), written) {
                (Role::Line, _) if lines.is_some() || written.is_none() || !rule.told_key => {
                    about.lines = lines;
                    about.line_name = Some(name.clone());
                    about.key.insert(name.clone(), Value::Null);
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
        if let Some(name) = &about.line_name {
            about.lines = about.lines.or(behind.map(|behind| behind.lines));
            about.exact = about.lines.is_some();
            let line = about.lines.map(|lines| Value::from(lines.first));
            about.key.insert(name.clone(), line.unwrap_or_default());
        }
        Some(about)
    }
}

/// A line after the name of a file, as in `src/a.rs:10`.
struct LineSuffix {
    file: String,
    lines: location::Lines,
}

impl LineSuffix {
    /// Only where the entry is about a file and a line, and has this line or none: elsewhere the number may mean anything.
    fn of(entry: &Value, rule: &Rule) -> Option<Self> {
        let named = |wanted: Role| {
            let name = rule.key.iter().find(|name| rule::role(name) == wanted)?;
            member(entry, name)
        };
        let (file, lines) = location::without_lines(&location::file(named(Role::File)?)?)?;
        let is_same = match named(Role::Line) {
            Some(written) => location::lines(written).is_some_and(|own| own.first == lines.first),
            None => true,
        };
        (rule.is_place() && is_same).then_some(Self { file, lines })
    }
}

/// One member of a place, ended so that two members cannot run into each other.
fn comparable_place(member: &str) -> String {
    format!("{member}\0")
}
