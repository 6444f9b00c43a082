import { parseArgs } from "node:util";
import { loadConfig } from "../../shared/process/config.ts";
import { doorConnections, neededConnections, workerConnections } from "../../shared/process/connections.ts";

/** `npm run admin -- connections --doors 2 --workers 2`: how many connections PostgreSQL must allow. */
const two = { type: "string", default: "2" } as const;
const { values } = parseArgs({ options: { doors: two, workers: two } });
const { doors, workers } = values;
// The settings decide, and neither server is asked.
const config = loadConfig({
  DATABASE_URL: "postgres://none/kept",
  REDIS_URL: "redis://none",
  ...process.env,
});
const needed = neededConnections(config, { doors: Number(doors), workers: Number(workers) });
console.log(`a front door has at most ${doorConnections(config)} connections
a worker has at most ${workerConnections(config)}
${doors} doors and ${workers} workers need max_connections = ${needed}, with those of a migration and of PostgreSQL's owner`);
