//! The server: stores, queues, streams, calls back.
