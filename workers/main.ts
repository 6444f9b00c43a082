import { Worker } from "node:worker_threads";
import { runRole } from "../shared/process/role.ts";
import type { SignThreadData } from "./commands/sign-thread.ts";
import { startWorkers } from "./start.ts";

await runRole("workers", async (context) => {
  const workers = await startWorkers(context);
  const { redisUrl, queuePrefix } = context.config;
  const workerData: SignThreadData = { redisUrl, queuePrefix };
  const signs = new Worker(new URL("./commands/sign-thread.ts", import.meta.url), { workerData });
  return {
    ...workers,
    async stop() {
      await Promise.all([signs.terminate(), workers.stop()]);
    },
  };
});
