/** A shorter text, with its headers, fits into Bun's buffer of 16 KiB in any encoding. */
const long = 8_000;

/**
 * Returns the body of a response that is made after an `await`. Bun sends a body beyond its buffer in pieces, with
 * a system call for each part of each header (oven-sh/bun#41341): 200 µs instead of 25. A stream leaves at once.
 */
export function bodyOf(text: string): string | ReadableStream {
  if (text.length < long) return text;
  return new ReadableStream({
    type: "direct",
    pull(controller) {
      controller.write(text);
      controller.end();
    },
  });
}
