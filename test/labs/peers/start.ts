import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../support/folder.ts";
import { startServices } from "../../support/servers/services.ts";
import { startChildServer } from "../bench/load/child-server.ts";
import { programs } from "../bench/load/measure.ts";
import { userAt } from "../bench/seed.ts";
import { newDatabase, ownRoot, type Subject, startSubject } from "../bench/subject.ts";
import { type Contestant, contestants } from "./contestants.ts";
import { fillParse, fillPlain, rowsOf } from "./database.ts";

/** The peers and the packages that their documents tell to install; none is a dependency of Kept. */
export const packages = {
  postgraphile: "5.1.5",
  "parse-server": "9.10.0",
  "@modelcontextprotocol/server": "2.4.0",
  "@modelcontextprotocol/node": "2.1.2",
  express: "5.3.0",
  jose: "6.2.17",
  node: "24.9.0",
  pg: "8.23.1",
  zod: "4.6.7",
} as const;

/** Installs the packages into a temporary folder, beside copies of the servers that import them. */
async function installPeers(): Promise<string> {
  const folder = temporaryFolder("peers");
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(import.meta.dir, "servers"), folder, { recursive: true });
  await Bun.write(join(folder, "package.json"), '{ "private": true }');
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  await Bun.$`npm install --save-exact --no-audit --no-fund ${wanted}`.cwd(folder).quiet();
  return folder;
}

/** A contestant that listens, with the process that takes its requests. */
export type Running = Contestant & Pick<Subject, "port" | "callers"> & Readonly<{ door: RegExp }>;

/** Starts all on one PostgreSQL with the same users and todos, each in a database and a process of its own. */
export async function startAll(users: number) {
  const folder = await installPeers();
  const services = await startServices();
  const own = await startSubject(ownRoot, services, { users });
  const rows = await rowsOf(own);
  const stops = [own.stop, services.stop];
  const running: Running[] = [];
  for (const contestant of contestants) {
    const { server, sessionOf } = contestant;
    if (!server) {
      running.push({ ...contestant, ...own, door: programs.api });
      continue;
    }
    const { file, tables } = server;
    const url = await newDatabase(services.databaseUrl, `peer_${file.replace(".mjs", "")}`);
    if (tables === "plain") await fillPlain(url, rows);
    const env = {
      DATABASE_URL: url,
      AUTH_URL: own.issuerUrl ?? "",
      NODE_ENV: "production",
      PARSE_SERVER_LOGS_FOLDER: "null",
    };
    const node = join(folder, "node_modules/.bin/node");
    const { port, stop } = await startChildServer(join(folder, file), env, node);
    stops.unshift(async () => stop());
    // Parse Server makes its own tables.
    if (tables === "parse") await fillParse(url, rows);
    const callers = own.callers.map(({ index, token }) => {
      return { index, token: sessionOf?.(userAt(index)) ?? token };
    });
    const door = new RegExp(`/kept-peers-[^/ ]+/${RegExp.escape(file)}$`);
    running.push({ ...contestant, port, callers, door });
  }
  return {
    running,
    async stop() {
      for (const end of stops) await end();
    },
  };
}
