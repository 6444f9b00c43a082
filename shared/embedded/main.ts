import { resolve } from "node:path";
import { run } from "./run.ts";

const root = resolve(import.meta.dir, "../..");

// The front door stops first, so that the workers still serve what it has accepted.
await run(({ builtInIdentity }) => ({
  migrate: resolve(root, "workers/upkeep/migrate.ts"),
  roles: [
    { name: "api", script: resolve(root, "api/main.ts"), database: "door" },
    { name: "workers", script: resolve(root, "workers/main.ts"), database: "worker" },
    ...(builtInIdentity
      ? [{ name: "identity", script: resolve(root, "api/identity/main.ts"), database: "identity" } as const]
      : []),
  ],
}));
