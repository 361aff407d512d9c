//! JSON that was accepted once.

use serde::de::DeserializeOwned;

/// Reads JSON of ours: a result that was accepted, or a document that holds one. An answer may nest as deep as the contract
/// engine allows, and what it stands in is deeper by its own levels; readers give up before that. Only for what has been
/// through the judge or was written by us, because the depth of anything else is the stack's.
pub fn read_kept<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(text);
    reader.disable_recursion_limit();
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::read_kept;

    #[test]
    fn what_nests_as_deep_as_an_answer_may_is_read_inside_a_document() {
        let text = format!("{{\"result\":{}{}}}", "[".repeat(128), "]".repeat(128));
        assert_eq!(read_kept::<Value>(&text).unwrap().to_string(), text);
        assert!(serde_json::from_str::<Value>(&text).is_err(), "or this is not needed");
        assert!(read_kept::<Value>("1 2").is_err());
    }
}
