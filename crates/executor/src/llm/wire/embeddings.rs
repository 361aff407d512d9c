//! Requests for embeddings and their answers.

use serde_json::{Value, json};

pub(in crate::llm) trait EmbeddingWire: Send + Sync {
    fn path(&self, model: &str) -> String;

    fn body(&self, model: &str, texts: &[String]) -> Value;

    /// The vectors, in the order of the texts.
    fn read(&self, answer: &Value) -> Result<Vec<Vec<f32>>, String>;
}

pub(super) struct OpenAiEmbeddings;

impl EmbeddingWire for OpenAiEmbeddings {
    fn path(&self, _model: &str) -> String {
        "/embeddings".to_owned()
    }

    fn body(&self, model: &str, texts: &[String]) -> Value {
        json!({"model": model, "input": texts, "encoding_format": "float"})
    }

    fn read(&self, answer: &Value) -> Result<Vec<Vec<f32>>, String> {
        read_openai(answer)
    }
}

pub(super) struct OllamaEmbeddings;

impl EmbeddingWire for OllamaEmbeddings {
    fn path(&self, _model: &str) -> String {
        "/api/embed".to_owned()
    }

    fn body(&self, model: &str, texts: &[String]) -> Value {
        json!({"model": model, "input": texts})
    }

    fn read(&self, answer: &Value) -> Result<Vec<Vec<f32>>, String> {
        read_ollama(answer)
    }
}

fn read_ollama(answer: &Value) -> Result<Vec<Vec<f32>>, String> {
    let vectors = answer.get("embeddings").and_then(Value::as_array).ok_or("missing list `embeddings`")?;
    vectors.iter().map(vector).collect()
}

/// `{"data": [{"index": 0, "embedding": […]}, …]}`, in any order.
fn read_openai(answer: &Value) -> Result<Vec<Vec<f32>>, String> {
    let items = answer.get("data").and_then(Value::as_array).ok_or("missing list `data`")?;
    let mut ordered: Vec<Option<Vec<f32>>> = vec![None; items.len()];
    for (position, item) in items.iter().enumerate() {
        let index = item.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
        let place = ordered.get_mut(index.unwrap_or(position)).ok_or("an index is out of range")?;
        *place = Some(vector(item.get("embedding").unwrap_or(&Value::Null))?);
    }
    ordered.into_iter().collect::<Option<_>>().ok_or_else(|| "duplicate index".to_owned())
}

fn vector(value: &Value) -> Result<Vec<f32>, String> {
    #[expect(clippy::cast_possible_truncation, reason = "vectors are made in single precision or less")]
    let number =
        |value: &Value| value.as_f64().map(|number| number as f32).filter(|number| number.is_finite());
    let numbers =
        value.as_array().filter(|numbers| !numbers.is_empty()).ok_or("a vector is not a list of numbers")?;
    let vector: Option<Vec<f32>> = numbers.iter().map(number).collect();
    vector.ok_or_else(|| "a vector contains a value that is not a number".to_owned())
}
