import type { Config } from "./config.ts";

/** A worker runs so many slow commands at the same time, and as many groups. Each uses a connection. */
export const slowConcurrency = 4;
/** A worker has these for reminders, upkeep and deferred commands. */
const otherConnections = 5;
/** The provider asks the service by these. */
export const newsConnections = 2;

type Settings = Pick<Config, "databaseConnections" | "workerConcurrency">;

/** The most connections of a pool for reads: of a door, of the provider, and of a door to the standby. */
export const readConnections = ({
  databaseConnections = 10,
}: Pick<Settings, "databaseConnections">): number => databaseConnections;

/** The most connections of a worker. */
export const workerConnections = (config: Settings): number =>
  config.databaseConnections ?? config.workerConcurrency + 2 * slowConcurrency + otherConnections;

/** PostgreSQL keeps these for its owner. */
const reservedConnections = 3;
const migrationConnections = 2;

/** Processes by role. */
type Processes = Readonly<{ doors: number; workers: number; providers: number }>;

/** The max_connections that PostgreSQL needs, while a migration runs and no standby is read from. */
export function neededConnections(config: Settings, { doors, workers, providers }: Processes): number {
  const served =
    doors * readConnections(config) +
    workers * workerConnections(config) +
    providers * (readConnections(config) + newsConnections);
  return served + migrationConnections + reservedConnections;
}
