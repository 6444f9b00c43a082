import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnGuarded } from "../../../shared/embedded/servers/guard.ts";
import { freePort } from "../../harness.ts";
import { fillIn, root, serviceOf } from "./compose-file.ts";

/** The ports of the processes behind a proxy, and its own. */
export type Behind = Readonly<{ port: number; doors: readonly number[] }>;

export type FrontProxy = Readonly<{
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
export async function makeCertificate(): Promise<string> {
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

export const nginx: FrontProxy = {
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

export const caddy: FrontProxy = {
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
export const balancer: FrontProxy = {
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
