import { type Role, runRole, type StartRole } from "../process/role.ts";

/**
 * Runs front door and workers in one process, each by the module that the arguments name, because neither side may
 * import the other. The door stops first, so that the workers still serve what it has accepted.
 */
const [door = "", workers = ""] = process.argv.slice(2);
await runRole("kept", async (context): Promise<Role> => {
  const { startApi }: { startApi: StartRole } = await import(door);
  const { startWorkerProcess }: { startWorkerProcess: StartRole } = await import(workers);
  const parts = await Promise.all([startApi(context), startWorkerProcess(context)]);
  return {
    details: Object.assign({}, ...parts.map(({ details }) => details)),
    hanging: () => parts.flatMap((part) => part.hanging?.() ?? []),
    async stop() {
      for (const part of parts) await part.stop();
    },
  };
});
