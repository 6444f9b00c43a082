import { basename, dirname } from "node:path";
import { createLog } from "../process/observe/log.ts";
import { launchRole } from "./role-process.ts";
import { supervise } from "./servers/supervisor.ts";

/**
 * Runs one role under the supervisor of `npm start`, for a container: Docker restarts a process that ended, but none
 * that hangs.
 */
const [script = ""] = process.argv.slice(2);
const name = basename(dirname(script));
const log = createLog(name, "info");
const running = supervise({
  name,
  launch: async () => launchRole({ name, script }, process.env, { endsHanging: true }),
  report: (line) => log.warn(line),
});

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, async () => {
    log.info({ signal }, "stopping");
    await (await running).stop();
    process.exit(0);
  });

await running.then(
  () => log.info("ready"),
  (error) => {
    log.fatal(error.message);
    process.exit(1);
  },
);
