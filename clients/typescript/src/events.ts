/** An event with its id, as it is needed to continue after it. */
export interface Sent {
  id: string;
  data: unknown;
}

/** Reads server-sent events, wherever the bytes are cut. The coordinator writes data in one line. */
export async function* serverSentEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<Sent> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  let id = "";
  let data: string | undefined;
  try {
    for (;;) {
      // A lost connection is an end: the caller continues after the last event.
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }));
      if (done) return;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line.startsWith("id:")) id = line.slice(3).trim();
        else if (line.startsWith("data:")) data = line.slice(5).trim();
        else if (line.trim() === "" && data !== undefined) {
          yield { id, data: JSON.parse(data) as unknown };
          data = undefined;
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
