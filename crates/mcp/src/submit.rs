//! A server with one tool, `submit_result`: how a CLI agent hands over its answer.
//!
//! The arguments are kept as they come. Whether they conform is for the contract to say, not for us: a refusal here would
//! be a second judge, and the model would get the errors twice.

use std::io;
use std::path::Path;

use async_trait::async_trait;
use serde_json::{Map, Value};
use tokio::fs::{File, OpenOptions};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Mutex;

use crate::caller::Caller;
use crate::toolset::{Answer, Hints, Outcome, Tasks, Tool, Toolset, Unavailable};

const NAME: &str = "submit_result";

/// The tool `submit_result`, which appends the arguments of each call to a file, as one line of JSON.
#[derive(Debug)]
pub struct Submit {
    schema: Value,
    out: Mutex<File>,
}

impl Submit {
    /// Takes what the schema describes, and appends it to the file.
    pub async fn new(schema: Value, out: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(out).await?;
        Ok(Self { schema, out: Mutex::new(file) })
    }

    async fn keep(&self, arguments: Map<String, Value>) -> io::Result<()> {
        let line = format!("{}\n", Value::Object(arguments));
        let mut out = self.out.lock().await;
        out.write_all(line.as_bytes()).await?;
        out.flush().await
    }
}

#[async_trait]
impl Toolset for Submit {
    fn instructions(&self) -> Option<String> {
        None
    }

    async fn tools(&self) -> Result<Vec<Tool>, Unavailable> {
        Ok(vec![Tool {
            name: NAME.to_owned(),
            description: "Submits the final result. Call it exactly once, when the work is done.".to_owned(),
            input_schema: self.schema.clone(),
            output_schema: None,
            hints: Hints::Adds,
        }])
    }

    async fn call(&self, name: &str, arguments: Map<String, Value>, _: &Caller) -> Option<Outcome> {
        if name != NAME {
            return None;
        }
        let answer = match self.keep(arguments).await {
            Ok(()) => Answer::text("received"),
            Err(error) => Answer::error(format!("the result could not be saved: {error}; try again")),
        };
        Some(answer.into())
    }

    fn tasks(&self) -> Option<&dyn Tasks> {
        None
    }
}
