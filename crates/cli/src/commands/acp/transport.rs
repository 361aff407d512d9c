//! Lines on stdin and stdout. The length of a line is bounded here, which the protocol's crate leaves open.

use std::io;

use agent_client_protocol::{Agent, ConnectTo, Lines};
use futures_util::{sink, stream};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};

/// The longest line: a request to the coordinator may have 8 MiB, and this holds one with its escapes.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

pub(super) fn lines(
    input: impl AsyncRead + Unpin + Send + 'static,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> impl ConnectTo<Agent> + 'static {
    let incoming = stream::unfold(BufReader::new(input), |mut reader| async {
        let line = next_line(&mut reader).await.transpose()?;
        Some((line, reader))
    });
    let outgoing = sink::unfold(output, |mut output, mut line: String| async move {
        line.push('\n');
        output.write_all(line.as_bytes()).await?;
        output.flush().await?;
        Ok::<_, io::Error>(output)
    });
    Lines::new(outgoing, incoming)
}

/// The next line; `None` at the end. A line that is too long ends the connection, because its rest
/// could not be distinguished from the next line.
async fn next_line(reader: &mut BufReader<impl AsyncRead + Unpin>) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let count = reader.take(LONGEST_LINE + 1).read_until(b'\n', &mut line).await?;
    if count == 0 {
        return Ok(None);
    }
    if line.pop_if(|last| *last == b'\n').is_none() && line.len() as u64 > LONGEST_LINE {
        let text = format!("expected a line of at most {} MiB on stdin", LONGEST_LINE / 1024 / 1024);
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    String::from_utf8(line)
        .map(Some)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "invalid UTF-8 on stdin"))
}
