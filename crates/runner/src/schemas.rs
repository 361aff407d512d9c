//! Compiled schemas, kept for the next run with the same contract.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use accord_contract::{Schema, SchemaError};
use serde_json::Value;

use crate::limits::SCHEMAS_KEPT;

/// Compiled schemas, the most lately used first. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Schemas(Arc<Mutex<VecDeque<(String, Schema)>>>);

impl Schemas {
    /// The compiled schema. The hash only finds it: the document decides whether it is the same.
    pub fn compile(&self, hash: &str, document: &Value) -> Result<Schema, SchemaError> {
        if let Some(schema) = self.find(hash, document) {
            return Ok(schema);
        }
        let schema = Schema::compile(document)?;
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_front((hash.to_owned(), schema.clone()));
        kept.truncate(SCHEMAS_KEPT);
        Ok(schema)
    }

    fn find(&self, hash: &str, document: &Value) -> Option<Schema> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(known, schema)| known == hash && schema.document() == document)?;
        let found = kept.remove(place)?;
        let schema = found.1.clone();
        kept.push_front(found);
        Some(schema)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_wrong_hash_never_gives_a_wrong_schema() {
        let schemas = Schemas::default();
        let (a, b) = (json!({"type": "string"}), json!({"type": "number"}));
        assert_eq!(schemas.compile("h", &a).unwrap().document(), &a);
        assert_eq!(schemas.compile("h", &b).unwrap().document(), &b);
        assert_eq!(schemas.compile("h", &a).unwrap().document(), &a);
        assert_eq!(schemas.0.lock().unwrap().len(), 2);
    }
}
