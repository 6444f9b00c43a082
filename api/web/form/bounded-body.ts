/** Bytes of a request as they come. */
type Body = AsyncIterable<Uint8Array> | null;

/**
 * Reads a body that may have at most so many bytes. Reading stops there, so that nobody can fill the memory.
 * @returns what is wrong with it, where it has more or breaks off
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
