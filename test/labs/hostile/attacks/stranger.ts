import { connect } from "node:net";
import { type Assault, type Attack, ask, inLoops } from "./attack.ts";

/** The stranger has no account, and one network. */
const headers = { "x-forwarded-for": "203.0.113.66" };

/** Attacks that need no account. */
export const strangersAttacks: Readonly<Record<string, Attack>> = {
  "800 sockets that send a byte every five seconds": (world) =>
    inLoops(world, 800, 2_000, () => trickle(world)),

  "requests with made-up tokens": (world) =>
    inLoops(world, 10, 50, () => {
      const authorization = `Bearer ${crypto.randomUUID()}`;
      return ask(world, "/api/v1/todos", { headers: { ...headers, authorization } });
    }),

  /** The network is that of a newcomer who comes later. */
  async "sign-ins that are begun and left"(world) {
    const start = await fetch(`${world.site.baseUrl}/account`, { redirect: "manual" });
    const address = start.headers.get("location");
    if (!address) throw new Error("The account pages lead to no sign-in.");
    await inLoops(world, 5, 200, () => ask(world, address));
  },

  "calendars that do not exist": (world) =>
    inLoops(world, 30, 100, () => {
      const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
      return ask(world, `/calendar/${secret}.ics`, { headers });
    }),
};

const dripMs = 5_000;

/** Sends the head of a form and then its body in single bytes, each time as another sender. */
function trickle({ site, isOver, count }: Assault): Promise<void> {
  const { host, port, origin } = new URL(site.baseUrl);
  const lines = [
    "POST /account/tick HTTP/1.1",
    `Host: ${host}`,
    `Origin: ${origin}`,
    `Authorization: Bearer ${crypto.randomUUID()}`,
    "Content-Type: application/x-www-form-urlencoded",
    "Content-Length: 60000",
  ];
  return new Promise((resolve) => {
    const socket = connect({ port: Number(port), host: "127.0.0.1", localAddress: "127.0.0.66" });
    socket.on("connect", () => socket.write(`${lines.join("\r\n")}\r\n\r\na`));
    const drip = setInterval(() => (isOver() ? socket.destroy() : socket.write("a")), dripMs);
    socket.on("data", (data) => count(data.toString("latin1", 9, 12)));
    socket.on("error", () => count("no connection"));
    socket.on("close", () => {
      clearInterval(drip);
      resolve();
    });
  });
}
