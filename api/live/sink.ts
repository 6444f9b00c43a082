/** The body of a long answer, which lasts while its client reads. */
type Sink = Readonly<{
  body: ReadableStream;
  send(text: string): void;
  end(): void;
  /** Runs once, whichever side ends the stream. */
  onEnd(act: () => void): void;
}>;

export function openSink(): Sink {
  const ended = Promise.withResolvers<void>();
  let isOver = false;
  let unsent = "";
  let write = (text: string): unknown => {
    unsent += text;
    return undefined;
  };
  const end = () => {
    isOver = true;
    ended.resolve();
  };
  return {
    // A plain ReadableStream would buffer without limit for a client that does not read. Here a write returns a promise
    // once the client is behind.
    body: new ReadableStream({
      type: "direct",
      async pull(controller) {
        write = (text) => {
          const written = controller.write(text);
          controller.flush();
          return written;
        };
        write(unsent);
        await ended.promise;
        controller.close();
      },
      cancel: end,
    }),
    send(text) {
      if (!isOver && write(text) instanceof Promise) end();
    },
    end,
    onEnd: (act) => void ended.promise.then(act),
  };
}
