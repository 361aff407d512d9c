//! Requests for embeddings and their answers.

use serde_json::{Value, json};
use thiserror::Error;

#[derive(Debug, Error)]
pub(in crate::llm) enum VectorError {
    #[error("missing list `{0}`")]
    MissingList(&'static str),
    #[error("an index is out of range")]
    IndexOutOfRange,
    #[error("duplicate index")]
    DuplicateIndex,
    #[error("a vector is not a list of numbers")]
    NotAList,
    #[error("a vector contains a value that is not a number")]
    NotANumber,
}

type Vectors = Result<Vec<Vec<f32>>, VectorError>;

pub(in crate::llm) trait EmbeddingWire: Send + Sync {
    fn path(&self, model: &str) -> String;

    fn body(&self, model: &str, texts: &[String]) -> Value;

    /// The vectors, in the order of the texts.
    fn read(&self, answer: &Value) -> Vectors;
}

pub(super) struct OpenAiEmbeddings;

impl EmbeddingWire for OpenAiEmbeddings {
    fn path(&self, _model: &str) -> String {
        "/embeddings".to_owned()
    }

    fn body(&self, model: &str, texts: &[String]) -> Value {
        json!({"model": model, "input": texts, "encoding_format": "float"})
    }

    fn read(&self, answer: &Value) -> Vectors {
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

    fn read(&self, answer: &Value) -> Vectors {
        list(answer, "embeddings")?.iter().map(vector).collect()
    }
}

fn list<'a>(answer: &'a Value, name: &'static str) -> Result<&'a Vec<Value>, VectorError> {
    answer.get(name).and_then(Value::as_array).ok_or(VectorError::MissingList(name))
}

/// `{"data": [{"index": 0, "embedding": […]}, …]}`, in any order.
fn read_openai(answer: &Value) -> Vectors {
    let items = list(answer, "data")?;
    let mut ordered: Vec<Option<Vec<f32>>> = vec![None; items.len()];
    for (position, item) in items.iter().enumerate() {
        let index = item.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
        let place = ordered.get_mut(index.unwrap_or(position)).ok_or(VectorError::IndexOutOfRange)?;
        *place = Some(vector(item.get("embedding").unwrap_or(&Value::Null))?);
    }
    ordered.into_iter().collect::<Option<_>>().ok_or(VectorError::DuplicateIndex)
}

fn vector(value: &Value) -> Result<Vec<f32>, VectorError> {
    #[expect(clippy::cast_possible_truncation, reason = "vectors are made in single precision or less")]
    let number =
        |value: &Value| value.as_f64().map(|number| number as f32).filter(|number| number.is_finite());
    let numbers = value.as_array().filter(|numbers| !numbers.is_empty()).ok_or(VectorError::NotAList)?;
    let vector: Option<Vec<f32>> = numbers.iter().map(number).collect();
    vector.ok_or(VectorError::NotANumber)
}
