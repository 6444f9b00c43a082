import { afterAll, expect, spyOn, test } from "bun:test";
import { connect } from "node:net";
import { Client } from "pg";
import { newAddress } from "../../support/identity/browser.ts";
import {
  authorizationRequest,
  registerApp,
  signIn,
  startTestIdentity,
} from "../../support/identity/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

const identity = await startTestIdentity();
const { config, owner } = identity;
const faults = spyOn(identity.log, "error");
const warnings = spyOn(identity.log, "warn");
afterAll(identity.stop);

const ask = (address: string, init: RequestInit = {}) =>
  fetch(`${config.authUrl}${address}`, { redirect: "manual", ...init });

/** Runs `work` while no statement on these tables is answered. */
async function whileLocked<Result>(tables: string, work: () => Promise<Result>): Promise<Result> {
  const holder = new Client({ connectionString: config.databaseUrl });
  await holder.connect();
  await holder.query(`begin; lock table ${tables} in access exclusive mode`);
  try {
    return await work();
  } finally {
    await holder.end();
  }
}

const ownerSignsIn = async () => (await signIn(config, owner.email, owner.password)).page.status;

test("a flood from one network gets no fault, and delays no sign-in from another", async () => {
  const { address } = authorizationRequest(config, { client_id: await registerApp(config) });
  const statuses: number[] = [];
  const headers = { "X-Forwarded-For": newAddress() };
  let left = 300;
  const stranger = async () => {
    while (left-- > 0) {
      const answer = await ask(address, { headers });
      statuses.push(answer.status);
      if (answer.status === 503) expect(answer.headers.get("retry-after")).toBe("1");
    }
  };
  const { flood, others } = await whileLocked("identity.clients", async () => {
    const flood = Promise.all(Array.from({ length: 100 }, stranger));
    const others = [await ownerSignsIn()];
    await eventually(() => statuses.includes(503));
    return { flood, others: [...others, await ownerSignsIn()] };
  });
  others.push(await ownerSignsIn());
  await flood;
  expect(others).toEqual([200, 200, 200]);
  expect([...new Set(statuses)].sort()).toEqual([303, 503]);
  expect(faults).not.toHaveBeenCalled();
});

test("a database that does not answer is an outage on pages and at the endpoints, with one line in the log", async () => {
  const client_id = await registerApp(config);
  const form = (fields: Record<string, string>) => ({ method: "POST", body: new URLSearchParams(fields) });
  const tables = "identity.clients, identity.artifacts, identity.throttle, identity.accounts";
  await whileLocked(tables, async () => {
    const endpoints = [
      ask("/token", form({ client_id, grant_type: "refresh_token", refresh_token: "x" })),
      ask("/revoke", form({ client_id, token: "x" })),
      ask("/userinfo", { headers: { Authorization: "Bearer x" } }),
      ask("/register", { method: "POST" }),
    ];
    for (const answer of await Promise.all(endpoints)) {
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(await answer.json()).toMatchObject({ error: "temporarily_unavailable" });
    }
    const pages = [authorizationRequest(config, { client_id }).address, "/sign-in/link?token=x"];
    for (const page of pages) {
      const answer = await ask(page, { headers: { Accept: "text/html" } });
      expect([page, answer.status, answer.headers.get("retry-after")]).toEqual([page, 503, "1"]);
      expect(await answer.text()).toContain("The service is briefly unable to answer. Please try again.");
    }
  });
  expect(faults).not.toHaveBeenCalled();
  expect(warnings.mock.calls.map(([, text]) => text)).toEqual(["the database failed a statement"]);
});

const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\n`;
const beginnings = [
  "",
  post("/token"),
  `${post("/token")}Content-Length: 5000\r\n\r\na`,
  `${post("/nowhere")}Content-Length: 5000\r\n\r\na`,
  `${post("/token")}Transfer-Encoding: chunked\r\n\r\n5\r\na`,
];

/** Connections that begin a request and send at most one byte a second. @returns the number of those that were closed */
async function openSlowly(count: number): Promise<() => number> {
  let closed = 0;
  for (let n = 0; n < count; n++) {
    const beginning = beginnings[n % beginnings.length] ?? "";
    const socket = connect(config.port, "127.0.0.1", () => socket.write(beginning));
    const drip = setInterval(() => beginning && socket.write("a"), 1_000);
    socket.on("error", () => {});
    socket.on("close", () => {
      closed++;
      clearInterval(drip);
    });
    if (n % 50 === 0) await Bun.sleep(1);
  }
  return () => closed;
}

// Both take as long as a request may, so they run together.
test.concurrent("many slow senders keep nobody from signing in or being checked, and are cut off", async () => {
  const closed = await openSlowly(1_200);
  for (let n = 0; n < 5; n++) {
    expect(await ownerSignsIn()).toBe(200);
    expect(await identity.introspect(owner.token)).toMatchObject({ active: true });
  }
  await eventually(() => closed() === 1_200);
});

test.concurrent("a connection that is kept open serves one request after the other", async () => {
  const socket = connect(config.port, "127.0.0.1");
  let answers = 0;
  socket.on("data", (data) => {
    answers += String(data).split("HTTP/1.1 ").length - 1;
  });
  const head = (line: string) => `${line} HTTP/1.1\r\nHost: localhost:${config.port}\r\n`;
  for (let n = 1; n <= 4; n++) {
    // All of them together take longer than one request may.
    if (n > 1) await Bun.sleep(3_500);
    if (n % 2) socket.write(`${head("GET /health/live")}\r\n`);
    else socket.write(`${head("POST /nowhere")}Content-Length: 3\r\n\r\nabc`);
    await eventually(() => answers === n);
  }
  socket.destroy();
});
