import { resolve } from "node:path";
import { toRun } from "../../shared/process/to-run.ts";

type Command = Readonly<{ says: string; script: string }>;

/**
 * Commands that an operator runs beside the service. Some belong to other processes, so they are started, not imported.
 */
const commands: Readonly<Record<string, Command>> = {
  actions: { says: "the log of actions in this terminal", script: "api/cli/actions.ts" },
  "archive-log": { says: "takes old months of the log out", script: "workers/upkeep/archive-log.ts" },
  backup: { says: "backs up the database of npm start", script: "shared/embedded/backup/backup.ts" },
  connections: { says: "how many connections PostgreSQL must allow", script: "api/cli/connections.ts" },
  doctor: { says: "checks all parts of a running Kept", script: "api/cli/doctor.ts" },
  migrate: { says: "brings a database to the newest schema", script: "workers/upkeep/migrate.ts" },
  move: { says: "moves npm start to DATABASE_URL", script: "shared/embedded/move/move.ts" },
  owner: { says: "prints a one-time sign-in link", script: "api/cli/owner.ts" },
  restore: { says: "restores the database of npm start", script: "shared/embedded/backup/restore.ts" },
  rotate: { says: "replaces keys and secrets", script: "api/cli/rotate.ts" },
};

/** `npm run admin [-- COMMAND [options]]`: becomes the named command, or lists all. */
const [name = "", ...given] = process.argv.slice(2);
const command = commands[name];
// `kept-admin rotate -- prepare` means the same as `kept-admin rotate prepare`.
const options = given[0] === "--" ? given.slice(1) : given;
const script = resolve(import.meta.dir, "../..", command?.script ?? "");
if (command) process.execve?.(process.execPath, [process.execPath, script, ...options], process.env);
console.log(`${toRun("COMMAND [options]")}\n`);
for (const [known, { says }] of Object.entries(commands)) console.log(`  ${known.padEnd(13)}${says}`);
process.exitCode = name === "" ? 0 : 1;
