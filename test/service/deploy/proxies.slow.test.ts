import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnGuarded } from "../../../shared/embedded/servers/guard.ts";
import { freePort, testEnvironment } from "../../harness.ts";
import { pidsOf, startRoles } from "../../support/chaos/roles.ts";
import { cookieOf, createBrowser } from "../../support/identity/browser.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { fillIn, root, serviceOf } from "./compose-file.ts";

/** The ports of the processes behind a proxy, and its own. */
type Behind = Readonly<{ port: number; doors: readonly number[] }>;

type FrontProxy = Readonly<{
  name: string;
  program: string | null;
  start(behind: Behind): Promise<Started>;
}>;
type Started = Readonly<{ stop(): Promise<void> }>;

const folder = mkdtempSync(join(tmpdir(), "kept-proxies-"));
// Started by root, nginx works as another user.
chmodSync(folder, 0o755);
const [certificate, key] = [join(folder, "fullchain.pem"), join(folder, "privkey.pem")];

/** Makes the certificate of the name under which tests reach a proxy. @returns it, in PEM */
async function makeCertificate(): Promise<string> {
  const names = "subjectAltName=DNS:localhost";
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  await Bun.$`openssl req -x509 ${kind} -subj /CN=kept -addext ${names} -keyout ${key} -out ${certificate}`.quiet();
  return Bun.file(certificate).text();
}

/** The documented sample with this machine's addresses; each replaced text must be in it. */
async function sample(file: string, changes: readonly [string | RegExp, string][]): Promise<string> {
  const text = await Bun.file(join(root, "docs/proxy", file)).text();
  return changes.reduce((changed, [from, to]) => {
    const next = changed.replaceAll(from instanceof RegExp ? from : new RegExp(RegExp.escape(from), "g"), to);
    if (next === changed) throw new Error(`${file} has no ${from}.`);
    return next;
  }, text);
}

async function run(command: string[], port: number): Promise<Started> {
  const logFile = join(folder, `${port}.log`);
  const env = { PATH: process.env.PATH, HOME: folder };
  const proxy = spawnGuarded({ command, cwd: folder, env, logFile, stopSignal: "TERM" });
  let hasEnded = false;
  void proxy.exited.then(() => {
    hasEnded = true;
  });
  // It answers plain HTTP with a complaint.
  const serves = () => fetch(`http://127.0.0.1:${port}/`, { redirect: "manual" }).then(Boolean, () => false);
  while (!(await serves())) {
    if (hasEnded) throw new Error(await Bun.file(logFile).text());
    await Bun.sleep(20);
  }
  return proxy;
}

const find = (name: string): string | null => Bun.which(name) ?? Bun.which(`/usr/sbin/${name}`);

const nginx: FrontProxy = {
  name: "nginx",
  program: find("nginx"),
  async start({ port, doors }) {
    const site = await sample("nginx.conf", [
      [/ *listen \[::\].*\n/g, ""],
      ["listen 80;", `listen 127.0.0.1:${freePort()};`],
      ["listen 443 ", `listen 127.0.0.1:${port} `],
      ["server_name kept.example.org;", "server_name localhost;"],
      ["/etc/letsencrypt/live/kept.example.org", folder],
      [
        "server 127.0.0.1:3000 max_fails=0;",
        doors.map((door) => `server 127.0.0.1:${door} max_fails=0;`).join(" "),
      ],
    ]);
    const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const http = `http { access_log off; ${places.join(" ")}\n${site}}`;
    const file = join(folder, "nginx.conf");
    await Bun.write(file, `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}\n${http}`);
    await Bun.$`${nginx.program} -t -q -c ${file}`;
    return run([nginx.program ?? "", "-c", file], port);
  },
};

const caddy: FrontProxy = {
  name: "Caddy",
  program: find("caddy"),
  async start({ port, doors }) {
    const site = await sample("Caddyfile", [
      ["kept.example.org {", `https://localhost:${port} {\n\ttls ${certificate} ${key}`],
      ["127.0.0.1:3000", doors.map((door) => `127.0.0.1:${door}`).join(" ")],
    ]);
    const file = join(folder, "Caddyfile");
    await Bun.write(
      file,
      `{\n\tadmin off\n\tauto_https disable_redirects\n\tlog {\n\t\tlevel ERROR\n\t}\n}\n${site}`,
    );
    await Bun.$`${caddy.program} validate --adapter caddyfile --config ${file}`.env({ HOME: folder }).quiet();
    return run([caddy.program ?? "", "run", "--adapter", "caddyfile", "--config", file], port);
  },
};

/** The balancer of compose.yaml, with doors on this machine instead of those in Docker's DNS. */
const balancer: FrontProxy = {
  name: "HAProxy",
  program: find("haproxy"),
  async start({ port, doors }) {
    const servers = doors.map((door, number) => `server door${number} 127.0.0.1:${door}`);
    const text = fillIn(serviceOf("balancer").environment.CONFIGURATION ?? "", {})
      .replace("bind :3000", `bind 127.0.0.1:${port}`)
      .replace(/server-template door .*/, servers.join("\n"));
    const file = join(folder, "haproxy.cfg");
    await Bun.write(file, text);
    return run([balancer.program ?? "", "-db", "-f", file], port);
  },
};

const proxies = [nginx, caddy, balancer];
const ready = proxies.filter(({ program }) => program);
for (const { name } of proxies.filter(({ program }) => !program))
  console.warn(
    `SKIPPED: the doors behind ${name} are not tried (Debian: apt-get install nginx caddy haproxy).`,
  );

const port = freePort();
const baseUrl = `https://localhost:${port}`;
const tls = { ca: await makeCertificate() };
let isBack = false;
const env: Record<string, string> = {
  ...(await testEnvironment()),
  BASE_URL: baseUrl,
  AUTH_URL: "",
  DRAIN_SECONDS: serviceOf("api").environment.DRAIN_SECONDS ?? "",
  DATA_DIR: mkdtempSync(join(tmpdir(), "kept-behind-tls-")),
};
const roles = ready.length > 0 && (await startRoles({ env, apis: 2, report }));
if (roles) afterAll(roles.stop);
const token = roles ? (roles.details.owner_token ?? "") : "";

function report(line: string): void {
  isBack ||= line.includes(" is back ");
}

const ask = (path: string, init: BunFetchRequestInit = {}) =>
  fetch(`${baseUrl}${path}`, {
    ...init,
    tls,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...init.headers },
  });
const create = (title: string) => ask("/api/v1/todos", { method: "POST", body: JSON.stringify({ title }) });

/** Signs the owner in by a link, as the operator does. @returns the cookies */
async function signIn(): Promise<string> {
  const owner = Bun.spawn([process.execPath, "api/cli/owner.ts"], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const link = /http\S+/.exec(await owner.stdout.text())?.[0] ?? "";
  expect(link).toStartWith(`${baseUrl}/sign-in/link?`);
  const browser = createBrowser(baseUrl, baseUrl, tls);
  const today = await browser.submit(await browser.open(link), "/sign-in/link", {});
  expect(today).toMatchObject({ status: 200, url: `${baseUrl}/account` });
  return cookieOf(browser);
}

/** Status codes of registrations at the provider, all from one address of this machine and with a forged origin. */
async function register(from: string, times: number): Promise<string[]> {
  const body = JSON.stringify({ redirect_uris: ["http://localhost/callback"] });
  const said = ["-o", "/dev/null", "-w", "%{http_code}\n", "-H", "X-Forwarded-For: 203.0.113.9"];
  const url = `${baseUrl}/register?n=[1-${times}]`;
  const posted = ["--json", body, "--insecure", "--silent", "--interface", from];
  return (await Bun.$`curl ${posted} ${said} ${url}`.text()).trim().split("\n");
}

/** Lets a test work behind a proxy, which ends with it. */
async function behind(proxy: FrontProxy, port: number, work: () => Promise<void>): Promise<void> {
  const doors = (roles ? roles.baseUrls : []).map((url) => Number(new URL(url).port));
  const running = await proxy.start({ port, doors });
  await work().finally(() => running.stop());
}

async function tryAll(name: string, [mine, theirs]: readonly [string, string]): Promise<void> {
  const cookie = await signIn();

  const over = new AbortController();
  const stream = await ask("/account/live", { headers: { cookie }, signal: over.signal });
  let events = "";
  const reading = (async () => {
    for await (const chunk of stream.body ?? []) events += new TextDecoder().decode(chunk);
  })().catch(() => {});
  const changes = async (count: number) => {
    while (events.split("event: changed").length <= count) await Bun.sleep(5);
  };
  await changes(1);
  expect((await create(`Through ${name}`)).status).toBe(201);
  await changes(2);

  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const tools = await ask("/mcp", { method: "POST", body });
  expect(await tools.text()).toContain("complete-habit");
  const large = await create("x".repeat(2_000_000));
  expect([large.status, large.headers.get("content-type")]).toEqual([413, expect.stringContaining("json")]);
  expect((await ask("/metrics")).status).toBe(404);

  const statuses = await register(mine, 61);
  expect([new Set(statuses.slice(0, 60)), statuses[60]]).toEqual([new Set(["201"]), "429"]);
  expect(await register(theirs, 1)).toEqual(["201"]);

  await replaceDoorUnderLoad(create);
  over.abort();
  await reading;
}

/** Ends one of two doors while clients read and write. */
async function replaceDoorUnderLoad(write: typeof create): Promise<void> {
  let over = false;
  isBack = false;
  const statuses = new Map<number | string, number>();
  const note = (status: number | string) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const client = async (_: unknown, number: number) => {
    while (!over) {
      const answer = await write(`Written by ${number}`).catch((error: Error) => error.message);
      note(typeof answer === "string" ? answer : answer.status);
      await Bun.sleep(50);
    }
  };
  const clients = Array.from({ length: 4 }, client);
  process.kill(pidsOf("api")[0] ?? Number.NaN, "SIGTERM");
  while (!isBack) await Bun.sleep(50);
  over = true;
  await Promise.all(clients);
  expect([...statuses.keys()]).toEqual([201]);
}

describe.skipIf(!roles)(
  "behind a proxy everything works as without, and a door is replaced without a lost request",
  () => {
    test.skipIf(!nginx.program)("by docs/proxy/nginx.conf", () =>
      behind(nginx, port, () => tryAll("nginx", ["127.0.0.2", "127.0.0.3"])),
    );
    test.skipIf(!caddy.program)("by docs/proxy/Caddyfile", () =>
      behind(caddy, port, () => tryAll("Caddy", ["127.0.0.4", "127.0.0.5"])),
    );
    test.skipIf(!balancer.program)("by the balancer of compose.yaml, which has no TLS", async () => {
      const own = freePort();
      const url = `http://127.0.0.1:${own}`;
      await behind(balancer, own, async () => {
        await eventually(async () => (await fetch(`${url}/health/accepting`)).ok);
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        await replaceDoorUnderLoad((title) =>
          fetch(`${url}/api/v1/todos`, { method: "POST", headers, body: JSON.stringify({ title }) }),
        );
        expect((await fetch(`${url}/metrics`)).status).toBe(404);
      });
    });
  },
);
