import { connect } from "node:net";
import { type Assault, type Attack, ask, inLoops, strangersNetwork } from "../attack.ts";

/** Attacks that need no account. */
export const strangersAttacks: readonly Attack[] = [
  { name: "800 sockets that send a byte every five seconds", run: trickle },
  { name: "requests with made-up tokens", run: madeUpTokens },
  { name: "sign-ins that are begun and left", run: beginSignIns },
  { name: "calendars that do not exist", run: unknownCalendars },
];

const sockets = 800;
const dripMs = 5_000;

function trickle(world: Assault): Promise<void> {
  return inLoops(world, sockets, 2_000, () => trickleOnce(world));
}

/** Sends the head of a form and then its body in single bytes, each time as another sender. */
function trickleOnce({ site, isOver, count }: Assault): Promise<void> {
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

const headers = { "x-forwarded-for": strangersNetwork };

function madeUpTokens(world: Assault): Promise<void> {
  const address = `${world.site.baseUrl}/api/v1/todos`;
  return inLoops(world, 10, 50, () =>
    ask(world, address, { headers: { ...headers, authorization: `Bearer ${crypto.randomUUID()}` } }),
  );
}

/** The network is that of a newcomer who comes later. */
async function beginSignIns(world: Assault): Promise<void> {
  const start = await fetch(`${world.site.baseUrl}/account`, { redirect: "manual" });
  const address = start.headers.get("location");
  if (!address) throw new Error("The account pages lead to no sign-in.");
  const page = new URL(address, world.site.baseUrl).href;
  await inLoops(world, 5, 200, () => ask(world, page));
}

function unknownCalendars(world: Assault): Promise<void> {
  const secret = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  return inLoops(world, 30, 100, () =>
    ask(world, `${world.site.baseUrl}/calendar/${secret()}.ics`, { headers }),
  );
}
