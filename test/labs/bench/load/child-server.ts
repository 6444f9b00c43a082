import { join } from "node:path";

/** Starts one of the servers beside this file, which sends its port when it listens. */
export async function startChildServer(
  file: string,
  env: Record<string, string> = {},
): Promise<{ port: number; pid: number; stop(): void }> {
  const listening = Promise.withResolvers<number>();
  const server = Bun.spawn([process.execPath, join(import.meta.dir, file)], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (port: number) => listening.resolve(port),
  });
  server.exited.then((code) => listening.reject(new Error(`${file} ended with exit code ${code}.`)));
  return { port: await listening.promise, pid: server.pid, stop: () => server.kill() };
}
