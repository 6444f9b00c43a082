/** Bytes of a request as they arrive. */
type Body = AsyncIterable<Uint8Array> | null;

/**
 * Reads a body up to a limit, so that nobody can fill the memory.
 * @returns the problem if it is longer or breaks off
 */
export async function readBounded(
  body: Body,
  mostBytes: number,
): Promise<Buffer<ArrayBuffer> | "too-long" | "broken-off"> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      size += chunk.byteLength;
      if (size > mostBytes) return "too-long";
      chunks.push(chunk);
    }
  } catch {
    return "broken-off";
  }
  return Buffer.concat(chunks);
}
