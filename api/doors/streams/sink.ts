export const eventStreamHeaders = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  // nginx would otherwise buffer the events.
  "X-Accel-Buffering": "no",
};

const longestUnreadMs = 40_000;

/** The body of a long answer, which lasts while its client reads. */
export function openSink() {
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
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
        begun.resolve();
        await ended.promise;
        controller.close();
      },
      cancel: end,
    }),
    /** Ends the stream of a client that is behind. */
    send(text: string): void {
      if (!isOver && write(text) instanceof Promise) end();
    },
    /** Waits until the client has room for more, which ends a stream after 40 s. @returns false when it has ended */
    async sendAll(text: string): Promise<boolean> {
      const tooSlow = setTimeout(end, longestUnreadMs);
      await Promise.race([begun.promise, ended.promise]);
      if (!isOver) await Promise.race([write(text), ended.promise]);
      clearTimeout(tooSlow);
      return !isOver;
    },
    end,
    /** Runs once, whichever side ends the stream. */
    onEnd: (act: () => void): void => void ended.promise.then(act),
  };
}
