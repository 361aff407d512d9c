//! How the shape of the answer is shown: as a form with placeholders, as a JSON Schema, or as both.

use std::sync::Arc;

use accord_json::{Exceeded, Meter};
use minijinja::context;
use serde_json::Value;

use super::{RETRY_TAG, safe, template};
use crate::lower::{Skeleton, skeleton};
use crate::schema::Schema;

/// The shape of the answer, ready to be shown. Cheap to clone: thousands of runs of one agent have the same.
#[derive(Debug, Clone)]
pub struct Form {
    document: Arc<Value>,
    skeleton: Option<Arc<Skeleton>>,
    shows_schema: bool,
}

impl Form {
    /// The form of the answers to a schema. The schema itself is shown if the form does not say all of it, or if
    /// `shows_schema` asks for it.
    pub fn new(schema: &Schema, shows_schema: bool, meter: &Meter) -> Result<Self, Exceeded> {
        let skeleton = skeleton(schema, meter)?.map(Arc::new);
        let says_all = skeleton.as_ref().is_some_and(|skeleton| skeleton.complete);
        Ok(Self { document: schema.shared_document(), skeleton, shows_schema: shows_schema || !says_all })
    }

    /// Leaves the schema out from now on, if there is a form.
    pub fn hide_schema(&mut self) {
        self.shows_schema = self.skeleton.is_none();
    }

    /// The form with its placeholders, if there is one.
    pub fn skeleton(&self) -> Option<&Skeleton> {
        self.skeleton.as_deref()
    }

    /// The form and its rules, for a prompt.
    pub(super) fn text(&self) -> String {
        let skeleton = self.skeleton.as_deref();
        let form = skeleton.map(|skeleton| safe::tagged(&skeleton.form, RETRY_TAG));
        let rules: Vec<String> = skeleton
            .into_iter()
            .flat_map(|skeleton| &skeleton.rules)
            .map(|rule| safe::tagged(&safe::line(rule), RETRY_TAG))
            .collect();
        let schema = self.shows_schema.then(|| safe::json(&self.document, RETRY_TAG));
        template::render(
            "form",
            context! {
                form_fence => form.as_deref().map(safe::fence),
                form,
                rules,
                fence => schema.as_deref().map(safe::fence),
                schema,
            },
        )
    }
}
