import { join } from "node:path";
import { launchRole } from "../../../shared/embedded/role-process.ts";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { type Supervised, supervise } from "../../../shared/embedded/servers/supervisor.ts";
import { roleUrlsOf } from "../../../shared/process/database-roles.ts";
import { startIssuer } from "../servers/issuer.ts";
import { descendants } from "./descendants.ts";

export type Roles = Awaited<ReturnType<typeof startRoles>>;

type Options = Readonly<{
  env: Record<string, string>;
  /** DATABASE_URL by role; unset: the one of `env`. */
  databases?: Readonly<Partial<Record<RoleName, string>>>;
  apis?: number;
  workers?: number;
  /** The folder of the processes' files; unset: this one. */
  root?: string;
  /** Receives a line when a role has died and when it is back. */
  report?(line: string): void;
}>;

/** The addresses of the roles that processes have in production. */
export function databasesOf(ownerUrl: string): Readonly<Record<RoleName, string>> {
  const { door, worker } = roleUrlsOf(ownerUrl);
  return { api: door, workers: worker };
}

const ownRoot = join(import.meta.dir, "../../..");
const scripts = { api: "api/main.ts", workers: "workers/main.ts" } as const;
export type RoleName = keyof typeof scripts;

/**
 * Front doors and workers as the processes they are in production, started again when they die.
 * Front doors take the tokens of one test issuer, unless AUTH_URL is empty in `env`. Without `env`, they have no limit
 * and no log.
 */
export async function startRoles({
  env,
  databases,
  apis = 1,
  workers = 1,
  root = ownRoot,
  report = () => {},
}: Options) {
  const ports = await Promise.all(Array.from({ length: apis }, freePort));
  const baseUrls = ports.map((port) => `http://127.0.0.1:${port}`);
  const issuer = await startIssuer(baseUrls[0] ?? "");
  const common = {
    ...process.env,
    ...{ HOST: "127.0.0.1", BASE_URL: baseUrls[0], AUTH_URL: issuer.url },
    ...{ RATE_LIMIT_PER_MINUTE: "0", LOG_LEVEL: "silent" },
    ...env,
  };
  const start = (name: RoleName, own: Record<string, string> = {}) => {
    const url = databases?.[name];
    const database = url !== undefined && { DATABASE_URL: url };
    return startRole(name, { root, env: { ...common, ...database, ...own }, report });
  };
  const started = await Promise.all([
    ...ports.map((port) => start("api", { PORT: String(port) })),
    ...Array.from({ length: workers }, () => start("workers")),
  ]);
  /** The details that the roles reported when they were ready. */
  const details: Record<string, string> = Object.assign({}, ...started.map((role) => role.details));
  return {
    /** One address for each front door. */
    baseUrls,
    details,
    issuer,
    async stop(): Promise<void> {
      await Promise.all(started.map((role) => role.stop()));
      await issuer.stop();
    },
  };
}

type Role = Readonly<{ root: string; env: Record<string, string | undefined>; report(line: string): void }>;

export function startRole(
  name: RoleName,
  { root, env, report }: Role,
): Promise<Supervised<Record<string, string>>> {
  const script = join(root, scripts[name]);
  return supervise({ name, launch: async () => launchRole({ name, script }, env), report });
}

/** The process ids of the running roles of that name that this process started. */
export const pidsOf = (name: RoleName): number[] =>
  descendants().flatMap(({ pid, command }) => (command.endsWith(scripts[name]) ? [pid] : []));
