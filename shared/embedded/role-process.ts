import type { DatabaseRole } from "../process/database-roles.ts";
import type { FromRole } from "../process/role.ts";
import { type LifeWatch, watchForLife } from "./servers/server.ts";
import type { Life } from "./servers/supervisor.ts";

/** A process of Kept under the supervisor: a script that calls runRole, and the roles of its parts in the database. */
export type RoleScript = Readonly<{
  name: string;
  script: string;
  args?: readonly string[];
  databases: readonly [DatabaseRole, ...DatabaseRole[]];
  env?: Readonly<Record<string, string>>;
}>;

/** A role stops within the drain time and 10 s; after this it is stuck. */
const stuckMs = 12_000;

/**
 * Launches a role in a session of its own, so that a Ctrl-C in the terminal reaches the supervisor first.
 * @param endsHanging kills a role that no longer serves, so that the supervisor starts it again
 */
export function launchRole(
  { name, script, args = [] }: Pick<RoleScript, "name" | "script" | "args">,
  env: Record<string, string | undefined>,
  { endsHanging = false }: Readonly<{ endsHanging?: boolean }> = {},
): Life<Record<string, string>> {
  const ready = Promise.withResolvers<Record<string, string>>();
  let watch: LifeWatch | undefined;
  const child = Bun.spawn([process.execPath, script, ...args], {
    env,
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
    ipc(message: FromRole) {
      if (message.alive) watch?.heard();
      else begin(message.details);
    },
  });
  const kill = () => child.kill("SIGKILL");
  function begin(details: Record<string, string>) {
    if (endsHanging) watch = watchForLife(kill);
    ready.resolve(details);
  }
  // A frozen role does not notice that its supervisor is gone.
  process.once("exit", kill);
  const exited = child.exited.then(() => {
    watch?.end();
    process.off("exit", kill);
    const cause = watch?.isHanging() ? "it hung" : `${child.signalCode ?? `exit code ${child.exitCode}`}`;
    ready.reject(new Error(`${name} did not start (${cause})`));
    return cause;
  });
  return {
    ready: ready.promise,
    exited,
    async stop() {
      child.kill("SIGTERM");
      const drainMs = 1_000 * (Number(env.DRAIN_SECONDS) || 0);
      const stuck = setTimeout(kill, drainMs + stuckMs);
      await exited;
      clearTimeout(stuck);
    },
  };
}
