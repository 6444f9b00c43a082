const patienceMs = 250;

/**
 * Sends bytes as they are.
 * @returns everything that comes back until the server hangs up or stays silent
 */
export function shout(port: number, bytes: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let received = "";
  const finish = () => resolve(received);
  const opened = Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(socket, chunk) {
        received += chunk.toString("latin1");
        if (isWhole(received)) setTimeout(() => socket.end(), 5);
      },
      close: finish,
      end: finish,
      error: finish,
    },
  });
  opened.then((socket) => {
    socket.write(Buffer.from(bytes, "latin1"));
    setTimeout(() => socket.end(), patienceMs);
    setTimeout(finish, patienceMs + 50);
  }, finish);
  return promise;
}

function isWhole(received: string): boolean {
  const end = received.indexOf("\r\n\r\n");
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(received)?.[1] ?? 0);
  return end >= 0 && received.length >= end + 4 + length;
}
