//! Reads a document as a graph, and reports every mistake, not only the first.

use std::collections::{BTreeSet, HashMap};

use accord_contract::{JsonPath, Meter};
use accord_domain::nearest;
use serde_json::Value;

use super::object_reader::{ObjectReader, type_name};
use super::{Edge, EdgeEnds, Graph, LeftOut, node};
use crate::finding::{Finding, Findings};
use crate::limits::{MOST_EDGES, MOST_NAMES, MOST_NODES};

/// Reads a document. If some nodes or edges cannot be read, the graph has the others, so that they can be checked too.
pub fn read(document: &Value, meter: &Meter) -> (Option<Graph>, Vec<Finding>) {
    let mut findings = Findings::new(meter);
    let graph = graph(document, &mut findings);
    (graph, findings.into_vec())
}

fn graph(document: &Value, findings: &mut Findings) -> Option<Graph> {
    let mut reader = ObjectReader::of(document, JsonPath::root(), "a workflow", findings)?;
    let name = reader.required_text("name", "the name of the workflow", findings).unwrap_or_default();
    let description = reader.text("description", findings).unwrap_or_default();
    let nodes_at = reader.at("nodes");
    let given = reader.any("nodes");
    let nodes = match given {
        Some(value) => nodes(value, &nodes_at, findings),
        None => {
            findings.error(nodes_at, "missing field 'nodes': an object of nodes by id");
            Vec::new()
        }
    };
    let edges_at = reader.at("edges");
    let mut ids: HashMap<&str, Option<usize>> =
        given.and_then(Value::as_object).into_iter().flatten().map(|(id, _)| (id.as_str(), None)).collect();
    ids.extend(nodes.iter().enumerate().map(|(index, node)| (node.id.as_str(), Some(index))));
    let edges = match reader.any("edges") {
        Some(value) => edges(value, &edges_at, &ids, findings),
        None => Edges::default(),
    };
    reader.finish("a workflow", findings);
    let unread = ids.iter().filter(|(_, place)| place.is_none()).map(|(id, _)| (*id).to_owned());
    let left_out = LeftOut { nodes: unread.collect(), edges: edges.unread };
    let left_out = (left_out != LeftOut::default()).then_some(left_out);
    let (name, description, edges) = (name.to_owned(), description.to_owned(), edges.read);
    (!nodes.is_empty()).then_some(Graph { name, description, nodes, edges, left_out })
}

#[derive(Default)]
struct Edges {
    read: Vec<Edge>,
    unread: Vec<EdgeEnds>,
}

fn nodes(value: &Value, place: &JsonPath, findings: &mut Findings) -> Vec<super::Node> {
    let Value::Object(nodes) = value else {
        let message = format!("'nodes': expected an object of nodes by id, got {}", type_name(value));
        findings.error(place.clone(), message);
        return Vec::new();
    };
    if nodes.is_empty() {
        findings.error(place.clone(), "the workflow has no nodes");
    }
    if nodes.len() > MOST_NODES {
        let message = format!("expected at most {MOST_NODES} nodes, got {}", nodes.len());
        findings.error(place.clone(), message);
        return Vec::new();
    }
    nodes.iter().filter_map(|(id, value)| node::node(id, value, place.key(id), findings)).collect()
}

fn edges(
    value: &Value,
    place: &JsonPath,
    ids: &HashMap<&str, Option<usize>>,
    findings: &mut Findings,
) -> Edges {
    // Edges exist, but their ends are unknown.
    let none = Edges { read: Vec::new(), unread: vec![EdgeEnds::default()] };
    let Value::Array(items) = value else {
        let message = format!("'edges': expected a list of {{from, to}}, got {}", type_name(value));
        findings.error(place.clone(), message);
        return none;
    };
    if items.len() > MOST_EDGES {
        findings.error(place.clone(), format!("expected at most {MOST_EDGES} edges, got {}", items.len()));
        return none;
    }
    let mut first: HashMap<(usize, usize), usize> = HashMap::with_capacity(items.len());
    let mut edges = Edges::default();
    for (index, item) in items.iter().enumerate() {
        let place = place.index(index);
        let Some(edge) = edge(item, index, &place, ids, findings) else {
            let end = |name: &str| item.get(name).and_then(Value::as_str).map(str::to_owned);
            edges.unread.push(EdgeEnds { from: end("from"), to: end("to") });
            continue;
        };
        match first.get(&(edge.from, edge.to)) {
            Some(other) => findings.error(place, format!("duplicate of edges[{other}]")),
            None => {
                first.insert((edge.from, edge.to), index);
                edges.read.push(edge);
            }
        }
    }
    edges
}

fn edge(
    value: &Value,
    index: usize,
    place: &JsonPath,
    ids: &HashMap<&str, Option<usize>>,
    findings: &mut Findings,
) -> Option<Edge> {
    let mut reader = ObjectReader::of(value, place.clone(), "an edge", findings)?;
    let mut end = |name: &'static str, why: &str, findings: &mut Findings| {
        let id = reader.required_text(name, why, findings)?;
        match ids.get(id) {
            // An invalid node exists nevertheless.
            Some(found) => *found,
            None => {
                // Sorted, so that the same file always gets the same suggestion.
                let known: BTreeSet<&str> = ids.keys().copied().take(MOST_NAMES).collect();
                let meant = (findings.looks(1) > 0 && ids.len() <= MOST_NAMES).then(|| nearest(id, known));
                let meant =
                    meant.flatten().map(|meant| format!("; did you mean '{meant}'?")).unwrap_or_default();
                findings.error(reader.at(name), format!("unknown node '{id}'{meant}"));
                None
            }
        }
    };
    let from = end("from", "the id of the upstream node", findings);
    let to = end("to", "the id of the downstream node", findings);
    let when = reader.text("when", findings).map(str::to_owned);
    reader.finish("an edge", findings);
    Some(Edge { from: from?, to: to?, when, index })
}
