/** The body of an answer that goes on, for as long as its client reads what it is sent. */
type Sink = Readonly<{
  body: ReadableStream;
  send(text: string): void;
  end(): void;
  /** Called once, whichever side ended it. */
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
    // Of a stream of the usual kind Bun would keep any amount for a client that does not read. Here a write is a
    // promise as soon as the client is behind.
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
