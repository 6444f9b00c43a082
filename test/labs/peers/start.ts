import { join } from "node:path";
import { startServices } from "../../support/servers/services.ts";
import { startChildServer } from "../bench/load/child-server.ts";
import { programs } from "../bench/load/measure.ts";
import { userAt } from "../bench/seed.ts";
import { ownRoot, type Subject, startSubject } from "../bench/subject.ts";
import type { Contestant } from "./contestant.ts";
import { contestants } from "./contestants.ts";
import { createDatabase, fillParse, fillPlain, rowsOf } from "./database.ts";
import { type Installed, installPeers } from "./packages.ts";

/** A contestant that listens, with the process that takes its requests. */
export type Running = Contestant &
  Pick<Subject, "port" | "callers" | "todosPerUser"> &
  Readonly<{ door: RegExp }>;

/** Starts all on one PostgreSQL with the same users and todos, each in a database and a process of its own. */
export async function startAll(users: number) {
  const installed = await installPeers();
  const services = await startServices();
  const own = await startSubject(ownRoot, services, { users });
  const rows = await rowsOf(own);
  const stops: (() => void)[] = [];
  const running: Running[] = [];
  for (const contestant of contestants) {
    const { server } = contestant;
    if (!server) {
      running.push({ ...contestant, ...own, door: programs.api });
      continue;
    }
    const peer = await startPeer(server, { installed, own, rows, serverUrl: services.databaseUrl });
    stops.push(peer.stop);
    running.push({
      ...contestant,
      ...peer,
      callers: callersOf(contestant, own),
      todosPerUser: own.todosPerUser,
    });
  }
  return {
    running,
    async stop() {
      for (const stopPeer of stops) stopPeer();
      await own.stop();
      await services.stop();
      installed.remove();
    },
  };
}

type Surroundings = Readonly<{ installed: Installed; own: Subject; rows: string; serverUrl: string }>;

async function startPeer(
  { file, tables }: NonNullable<Contestant["server"]>,
  { installed, own, rows, serverUrl }: Surroundings,
) {
  const url = await createDatabase(serverUrl, `peer_${file.replace(".mjs", "")}`);
  if (tables === "plain") await fillPlain(url, rows);
  const env = {
    DATABASE_URL: url,
    AUTH_URL: own.issuerUrl ?? "",
    NODE_ENV: "production",
    PARSE_SERVER_LOGS_FOLDER: "null",
  };
  const { port, stop } = await startChildServer(join(installed.folder, file), env, installed.node);
  // Parse Server makes its own tables.
  if (tables === "parse") await fillParse(url, rows);
  return { port, stop, door: new RegExp(`/kept-peers-[^/ ]+/${RegExp.escape(file)}$`) };
}

const callersOf = ({ sessionOf }: Contestant, { callers }: Subject): Subject["callers"] =>
  callers.map(({ index, token }) => ({ index, token: sessionOf?.(userAt(index)) ?? token }));
