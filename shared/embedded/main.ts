import { resolve } from "node:path";
import { run } from "./run.ts";

const root = resolve(import.meta.dir, "../..");

// The front door stops first, so that the workers still serve what it has accepted.
await run({
  migrate: resolve(root, "workers/upkeep/migrate.ts"),
  roles: [
    { name: "api", script: resolve(root, "api/main.ts"), databases: ["door", "identity"] },
    { name: "workers", script: resolve(root, "workers/main.ts"), databases: ["worker"] },
  ],
});
