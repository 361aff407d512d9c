//! Arrays: what each item is, by its position, and which items there must be.

use serde_json::Value;

use super::findings::{Collector, Trail};
use super::{Explainer, Level, wording};
use crate::schema::Dialect;

impl<'a> Explainer<'a> {
    pub(super) fn array(
        &mut self,
        here: &Level<'a, '_>,
        value: &Value,
        items: &[Value],
        trail: &Trail<'_>,
        found: &mut Collector,
    ) {
        let (by_position, rest) = self.item_schemas(here);
        for (index, item) in items.iter().enumerate() {
            if self.visits == 0 || found.is_full() {
                return;
            }
            let Some(schema) = by_position.get(index).or(rest) else { break };
            if schema == &Value::Bool(false) {
                let keyword = if here.get("prefixItems").is_some() { "items" } else { "additionalItems" };
                found.fail(trail, schema, keyword, || wording::too_many_items(items.len(), index));
                break;
            }
            let trail = trail.index(index);
            found.inside(|found| self.visit(&here.child(schema), item, &trail, found));
        }
        self.contains(here, items, trail, found);
        self.unevaluated_items(here, value, items, trail, found);
    }

    /// The schemas of the first items, and the schema of all others.
    pub(super) fn item_schemas(&self, here: &Level<'a, '_>) -> (&'a [Value], Option<&'a Value>) {
        match (self.dialect, here.get("prefixItems"), here.get("items")) {
            (Dialect::Draft202012, Some(Value::Array(first)), rest) => (first, rest),
            (Dialect::Draft202012, _, rest) => (&[], rest),
            (_, _, Some(Value::Array(first))) => (first, here.get("additionalItems")),
            (_, _, rest) => (&[], rest),
        }
    }

    fn contains(&mut self, here: &Level<'a, '_>, items: &[Value], trail: &Trail<'_>, found: &mut Collector) {
        let Some(schema) = here.get("contains") else { return };
        let bound = |keyword| match self.dialect {
            Dialect::Draft7 => None,
            _ => here.get(keyword).and_then(Value::as_f64),
        };
        let (least, most) = (bound("minContains").unwrap_or(1.0), bound("maxContains"));
        let node = here.child(schema);
        let matching = items.iter().filter(|item| self.holds(&node, item)).count();
        #[expect(clippy::cast_precision_loss, reason = "a count of items is far below 2^52")]
        let count = matching as f64;
        if count < least {
            found.fail(trail, schema, "contains", || wording::contains_too_few(matching, least, schema));
        }
        if let Some(most) = most.filter(|most| count > *most) {
            found.fail(trail, schema, "maxContains", || wording::contains_too_many(matching, most, schema));
        }
    }

    fn unevaluated_items(
        &mut self,
        here: &Level<'a, '_>,
        value: &Value,
        items: &[Value],
        trail: &Trail<'_>,
        found: &mut Collector,
    ) {
        let Some(schema) = here.get("unevaluatedItems") else { return };
        let evaluated = self.evaluated_items(here, value, items);
        for (index, item) in items.iter().enumerate().filter(|(index, _)| !evaluated.contains(index)) {
            if schema == &Value::Bool(false) {
                found.fail(trail, schema, "unevaluatedItems", || wording::unexpected_item(index, item));
                return;
            }
            let trail = trail.index(index);
            found.inside(|found| self.visit(&here.child(schema), item, &trail, found));
        }
    }
}
