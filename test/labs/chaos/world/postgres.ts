import { startPostgres } from "../../../../shared/embedded/servers/postgres.ts";

/**
 * PostgreSQL and its supervisor in a process of their own, so that they can have a clock of their own:
 * `bun postgres.ts FOLDER`. Tells its parent the server's address; ends when asked, or with it.
 */
const server = await startPostgres(process.argv[2] ?? "");
process.on("message", async () => {
  await server.stop();
  process.exit();
});
process.on("disconnect", () => process.exit());
process.send?.(server.url);
