import type { Config } from "./config.ts";

/** A worker runs so many slow commands at the same time, and as many groups. Each uses a connection. */
export const slowConcurrency = 4;
/** A worker has these for reminders, upkeep and deferred commands. */
const otherConnections = 5;

type Settings = Pick<Config, "builtInIdentity" | "databaseConnections" | "workerConcurrency">;

/** The most connections of a pool for reads: of a door, of its provider, and of a door to the standby. */
export const readConnections = ({
  databaseConnections = 10,
}: Pick<Settings, "databaseConnections">): number => databaseConnections;

export const doorConnections = (config: Omit<Settings, "workerConcurrency">): number =>
  readConnections(config) * (config.builtInIdentity ? 2 : 1);

export const workerConnections = (config: Omit<Settings, "builtInIdentity">): number =>
  config.databaseConnections ?? config.workerConcurrency + 2 * slowConcurrency + otherConnections;

/** PostgreSQL keeps these for its owner. */
const reservedConnections = 3;
const migrationConnections = 2;

/** Processes by role; doors have a second pool while they are the provider, too. */
type Processes = Readonly<{ doors: number; workers: number }>;

/** The max_connections that PostgreSQL needs, while a migration runs and no standby is read from. */
export function neededConnections(config: Settings, { doors, workers }: Processes): number {
  const served = doors * doorConnections(config) + workers * workerConnections(config);
  return served + migrationConnections + reservedConnections;
}
