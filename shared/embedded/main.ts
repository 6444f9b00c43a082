import { resolve } from "node:path";
import type { CommonConfig } from "../process/config.ts";
import type { RoleScript } from "./role-process.ts";
import { run } from "./run.ts";

const root = resolve(import.meta.dir, "../..");

const together: RoleScript = {
  name: "kept",
  script: resolve(root, "shared/embedded/together.ts"),
  args: ["api/start.ts", "workers/start.ts"].map((path) => resolve(root, path)),
  databases: ["door", "identity", "worker"],
};

const door: RoleScript = {
  name: "api",
  script: resolve(root, "api/main.ts"),
  databases: ["door", "identity"],
};

// The front door stops first, so that the workers still serve what it has accepted.
await run((config) => ({
  migrate: resolve(root, "workers/upkeep/migrate.ts"),
  roles:
    config.workers === 0
      ? [together]
      : [door, ...Array.from({ length: config.workers }, (_, number) => worker(config, number))],
}));

/** Each worker has a port of its own for its health and metrics. */
function worker({ workerPort }: CommonConfig, number: number): RoleScript {
  return {
    name: number === 0 ? "workers" : `workers ${number + 1}`,
    script: resolve(root, "workers/main.ts"),
    databases: ["worker"],
    env: { WORKER_PORT: String(workerPort && workerPort + number) },
  };
}
