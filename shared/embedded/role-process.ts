import type { Ready } from "../process/role.ts";
import type { Life } from "./servers/supervisor.ts";

/** A process of Kept under the supervisor: a script that calls runRole. */
export type RoleScript = Readonly<{ name: string; script: string }>;

/** A role stops within the drain time and 10 s; after this it is stuck. */
const stuckMs = 12_000;

/** Launches a role in a session of its own, so that a Ctrl-C in the terminal does not reach it before us. */
export function launchRole(
  { name, script }: RoleScript,
  env: Record<string, string | undefined>,
): Life<Ready["details"]> {
  const ready = Promise.withResolvers<Ready["details"]>();
  const child = Bun.spawn([process.execPath, script], {
    env,
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (message: Partial<Ready>) => ready.resolve(message.details ?? {}),
  });
  const exited = child.exited.then(() => {
    const cause = child.signalCode ? `${child.signalCode}` : `exit code ${child.exitCode}`;
    ready.reject(new Error(`${name} did not start (${cause})`));
    return cause;
  });
  return {
    ready: ready.promise,
    exited,
    async stop() {
      child.kill("SIGTERM");
      const drainMs = 1_000 * (Number(env.DRAIN_SECONDS) || 0);
      const stuck = setTimeout(() => child.kill("SIGKILL"), drainMs + stuckMs);
      await exited;
      clearTimeout(stuck);
    },
  };
}
