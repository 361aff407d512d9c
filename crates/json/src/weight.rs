//! How much memory takes what is made from a document, for caches.

/// A compiled schema takes 4,000 to 6,000 bytes for each object of its document that is a schema, and about every second one is.
const BYTES_OF_AN_OBJECT: usize = 4096;

/// About how many bytes takes what is made from a schema, or from a document with schemas in it. The text alone says little: 200 KB of
/// small schemas take 30 MB.
pub fn weight(document: &str) -> usize {
    let objects = document.bytes().filter(|byte| *byte == b'{').count();
    document.len() + objects * BYTES_OF_AN_OBJECT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_weigh_more_than_text() {
        assert_eq!(weight(r#"{"type": "object", "properties": {"a": {}}}"#), 43 + 3 * BYTES_OF_AN_OBJECT);
        assert_eq!(weight(&"x".repeat(9)), 9);
    }
}
