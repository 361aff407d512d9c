//! References: each leads to a place inside the document, never outside, never in a circle, and following
//! them all never multiplies the work beyond a limit.

use std::collections::HashMap;

use serde_json::Value;

use super::error::SchemaError;
use super::walk::{self, Reach};
use crate::json_path::JsonPath;
use crate::limits::{MAX_IN_PLACE_NESTING, MAX_IN_PLACE_SUBSCHEMAS, MAX_REFERENCE_CHAIN};

/// The keywords that refer to another schema for the same value.
pub(crate) const KEYWORDS: &[&str] = &["$ref", "$dynamicRef", "$recursiveRef"];

/// Resolves references within one document. Pure look-up: a reference to another document resolves to nothing.
pub(crate) struct Resolver<'a> {
    document: &'a Value,
    names: HashMap<String, (JsonPath, &'a Value)>,
}

impl<'a> Resolver<'a> {
    pub(crate) fn new(document: &'a Value) -> Self {
        let mut names = HashMap::new();
        collect_names("", &JsonPath::root(), document, &mut names);
        Self { document, names }
    }

    /// The schema that a reference leads to, seen from a schema whose base address is `base`.
    pub(crate) fn resolve(&self, base: &str, reference: &str) -> Option<(JsonPath, &'a Value)> {
        let full = join(base, reference);
        let (address, fragment) = full.split_once('#').unwrap_or((&full, ""));
        let (place, root) = match self.names.get(address) {
            Some((place, root)) => (place.clone(), *root),
            None if address.is_empty() => (JsonPath::root(), self.document),
            None => return None,
        };
        if fragment.is_empty() {
            return Some((place, root));
        }
        let fragment = percent_decode(fragment);
        if fragment.starts_with('/') {
            let target = root.pointer(&fragment)?;
            let below = JsonPath::of_pointer(root, &fragment);
            return Some((place.steps().iter().chain(below.steps()).cloned().collect(), target));
        }
        self.names.get(&format!("{address}#{fragment}")).map(|(place, schema)| (place.clone(), *schema))
    }
}

/// The base address in force inside a schema: its own `$id`, seen from its parent's.
pub(crate) fn base_of(parent: &str, schema: &Value) -> String {
    match schema.get("$id").and_then(Value::as_str) {
        Some(id) if !id.starts_with('#') => join(parent, id).trim_end_matches('#').to_owned(),
        _ => parent.to_owned(),
    }
}

fn collect_names<'a>(
    parent: &str,
    place: &JsonPath,
    schema: &'a Value,
    names: &mut HashMap<String, (JsonPath, &'a Value)>,
) {
    let base = base_of(parent, schema);
    if schema.get("$id").is_some() {
        names.entry(base.clone()).or_insert_with(|| (place.clone(), schema));
    }
    let plain_name = schema.get("$id").and_then(Value::as_str).and_then(|id| id.strip_prefix('#'));
    let anchors = ["$anchor", "$dynamicAnchor"].iter().filter_map(|keyword| schema.get(keyword)?.as_str());
    for anchor in anchors.chain(plain_name) {
        names.entry(format!("{base}#{anchor}")).or_insert_with(|| (place.clone(), schema));
    }
    for child in walk::children(schema) {
        collect_names(&base, &child.place(place), child.schema, names);
    }
}

/// The base address that a place of a document is seen from: its parents' `$id`s, its own not counted in.
pub(crate) fn base_at(document: &Value, place: &JsonPath) -> String {
    let mut base = String::new();
    let mut current = Some(document);
    for step in place.steps() {
        base = current.map_or_else(String::new, |outer| base_of(&base, outer));
        current = current.and_then(|outer| step.within(outer));
    }
    base
}

/// Refuses circles that consume nothing, long chains, and references that fan out without bound.
pub(super) fn check(document: &Value) -> Result<(), SchemaError> {
    let mut rivals: HashMap<String, Vec<(JsonPath, &Value)>> = HashMap::new();
    walk::each(document, &mut |place, schema| {
        for name in DYNAMIC.iter().filter_map(|(_, anchor)| dynamic_name(anchor, schema)) {
            rivals.entry(name).or_default().push((place.clone(), schema));
        }
    });
    let resolver = Resolver::new(document);
    let mut counter = Counter {
        resolver,
        rivals,
        rival_totals: HashMap::new(),
        visits: HashMap::new(),
        chain: 0,
        nesting: 0,
    };
    counter.check("", &JsonPath::root(), document)
}

/// The references that are bound while a value is judged, and the keywords that name what they can be bound to.
const DYNAMIC: &[(&str, &str)] = &[("$dynamicRef", "$dynamicAnchor"), ("$recursiveRef", "$recursiveAnchor")];

fn dynamic_name(anchor: &str, schema: &Value) -> Option<String> {
    let name = schema.get(anchor).filter(|name| **name != Value::Bool(false))?;
    Some(format!("{anchor} {name}"))
}

/// The state of a schema while its in-place subschemas are counted.
enum Visit {
    Open,
    Counted(u64),
}

struct Counter<'a> {
    resolver: Resolver<'a>,
    /// The schemas with the same dynamic name.
    rivals: HashMap<String, Vec<(JsonPath, &'a Value)>>,
    /// What they count together, once that is known.
    rival_totals: HashMap<String, u64>,
    visits: HashMap<JsonPath, Visit>,
    /// How many references lead to the schema that is being counted.
    chain: usize,
    /// How many schemas are being counted, each for the sake of the one before.
    nesting: usize,
}

impl Counter<'_> {
    fn check(&mut self, parent: &str, place: &JsonPath, schema: &Value) -> Result<(), SchemaError> {
        self.count(parent, place, schema)?;
        let base = base_of(parent, schema);
        for child in walk::children(schema) {
            self.check(&base, &child.place(place), child.schema)?;
        }
        Ok(())
    }

    /// How many schemas a value is tested against when it is tested against this one.
    fn count(&mut self, parent: &str, place: &JsonPath, schema: &Value) -> Result<u64, SchemaError> {
        match self.visits.get(place) {
            Some(Visit::Counted(total)) => return Ok(*total),
            Some(Visit::Open) => {
                let message =
                    "circular reference: it leads back here without passing through a property or an item";
                return Err(SchemaError::new(place, message));
            }
            None => {}
        }
        if self.nesting >= MAX_IN_PLACE_NESTING {
            let message = format!(
                "more than {MAX_IN_PLACE_NESTING} schemas for the same value are nested here, with references followed"
            );
            return Err(SchemaError::new(place, message));
        }
        self.nesting += 1;
        let total = self.count_inside(parent, place, schema);
        self.nesting -= 1;
        total
    }

    fn count_inside(&mut self, parent: &str, place: &JsonPath, schema: &Value) -> Result<u64, SchemaError> {
        self.visits.insert(place.clone(), Visit::Open);
        let base = base_of(parent, schema);
        let mut total: u64 = 1;
        for keyword in KEYWORDS {
            let Some(reference) = schema.get(keyword).and_then(Value::as_str) else { continue };
            let Some((target_place, target)) = self.resolver.resolve(&base, reference) else { continue };
            let from = place.key(keyword);
            let followed = self.follow(&from, &target_place, target)?;
            let rivals = self.count_rivals(&from, keyword, target)?;
            total = total.saturating_add(followed.max(rivals));
        }
        for child in walk::children(schema).into_iter().filter(|child| child.reach == Reach::InPlace) {
            total = total.saturating_add(self.count(&base, &child.place(place), child.schema)?);
        }
        if total > MAX_IN_PLACE_SUBSCHEMAS {
            let message = format!(
                "with references followed, one value is tested here against more than \
                 {MAX_IN_PLACE_SUBSCHEMAS} schemas"
            );
            return Err(SchemaError::new(place, message));
        }
        self.visits.insert(place.clone(), Visit::Counted(total));
        Ok(total)
    }

    /// A dynamic reference leads to one of the schemas with its target's dynamic name. Which one is settled by the
    /// way there, so none of them may lead back.
    fn count_rivals(&mut self, from: &JsonPath, keyword: &str, target: &Value) -> Result<u64, SchemaError> {
        let anchor = DYNAMIC.iter().find(|(reference, _)| *reference == keyword).map(|(_, anchor)| anchor);
        let Some(name) = anchor.and_then(|anchor| dynamic_name(anchor, target)) else { return Ok(0) };
        if let Some(total) = self.rival_totals.get(&name) {
            return Ok(*total);
        }
        let mut total: u64 = 0;
        for (place, schema) in self.rivals.get(&name).cloned().unwrap_or_default() {
            total = total.saturating_add(self.follow(from, &place, schema)?);
        }
        self.rival_totals.insert(name, total);
        Ok(total)
    }

    fn follow(&mut self, from: &JsonPath, place: &JsonPath, schema: &Value) -> Result<u64, SchemaError> {
        if self.chain >= MAX_REFERENCE_CHAIN {
            let message = format!("chain of more than {MAX_REFERENCE_CHAIN} references");
            return Err(SchemaError::new(from, message));
        }
        self.chain += 1;
        let base = base_at(self.resolver.document, place);
        let total = self.count(&base, place, schema);
        self.chain -= 1;
        total
    }
}

/// Finds the reference that does not resolve, for the error message.
pub(super) fn explain(document: &Value, cause: &str) -> SchemaError {
    let resolver = Resolver::new(document);
    first_broken(&resolver, "", &JsonPath::root(), document).unwrap_or_else(|| {
        // The anchor exists, or it would have been reported as broken.
        let advice = match cause.starts_with("Anchor") {
            true => ": draft-07 has no '$anchor'; use a later dialect, or refer by pointer",
            false => "",
        };
        SchemaError::new(&JsonPath::root(), format!("{cause}{advice}"))
    })
}

fn first_broken(
    resolver: &Resolver<'_>,
    parent: &str,
    place: &JsonPath,
    schema: &Value,
) -> Option<SchemaError> {
    let base = base_of(parent, schema);
    for keyword in KEYWORDS {
        let Some(reference) = schema.get(keyword).and_then(Value::as_str) else { continue };
        if resolver.resolve(&base, reference).is_some() {
            continue;
        }
        let message = if join(&base, reference).split('#').next() == Some(base.as_str()) {
            format!("unresolved reference '{reference}'")
        } else {
            format!(
                "the reference '{reference}' points to another document, and remote schemas are not fetched; move that schema to 'definitions' or '$defs'"
            )
        };
        return Some(SchemaError::new(&place.key(keyword), message));
    }
    let mut children = walk::children(schema).into_iter();
    children.find_map(|child| first_broken(resolver, &base, &child.place(place), child.schema))
}

/// RFC 3986 reference resolution, as far as schema identifiers use it.
fn join(base: &str, reference: &str) -> String {
    let base = base.split('#').next().unwrap_or_default();
    if reference.starts_with('#') || reference.is_empty() {
        return format!("{base}{reference}");
    }
    let has_scheme = reference
        .find(':')
        .is_some_and(|colon| !reference.get(..colon).unwrap_or_default().contains(['/', '?', '#']));
    if has_scheme {
        return reference.to_owned();
    }
    let authority_end = base.find("://").map_or(0, |scheme| {
        let start = scheme + 3;
        base.get(start..).and_then(|rest| rest.find('/')).map_or(base.len(), |slash| start + slash)
    });
    if reference.starts_with('/') {
        return format!("{}{reference}", base.get(..authority_end).unwrap_or_default());
    }
    match base.rfind('/').filter(|slash| *slash >= authority_end) {
        Some(slash) => format!("{}{reference}", base.get(..=slash).unwrap_or_default()),
        None if authority_end > 0 => format!("{base}/{reference}"),
        None => reference.to_owned(),
    }
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let escaped =
            tail.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
