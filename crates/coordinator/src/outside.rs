//! The clock, the source of ids, and what makes vectors of texts: the world, as seams.

use std::collections::HashMap;

use async_trait::async_trait;
use jiff::Timestamp;

/// The outside world: clock, ids and secrets.
pub trait Outside: Send + Sync {
    /// Now, to the microsecond: what is stored is then what was said.
    fn now(&self) -> Timestamp;

    /// A unique text, for ids. Later ones sort after earlier ones.
    fn unique(&self) -> String;

    /// Random bytes for secrets.
    fn secret(&self) -> Result<[u8; 32], String>;
}

/// The real clock and real randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl Outside for System {
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    fn unique(&self) -> String {
        uuid::Uuid::now_v7().simple().to_string()
    }

    fn secret(&self) -> Result<[u8; 32], String> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(|error| format!("no randomness: {error}"))?;
        Ok(bytes)
    }
}

/// Makes vectors of texts. Where it cannot, siblings are compared by their words.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The vectors by text, or the reason why there are none.
    async fn vectors(&self, texts: &[String]) -> Result<HashMap<String, Vec<f32>>, String>;
}
