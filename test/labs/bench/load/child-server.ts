import { resolve } from "node:path";

/** Starts a server, given by its address or its name beside this file, which sends its port when it listens. */
export async function startChildServer(
  file: string,
  env: Record<string, string> = {},
  program = process.execPath,
): Promise<{ port: number; pid: number; stop(): void }> {
  const listening = Promise.withResolvers<number>();
  const server = Bun.spawn([program, resolve(import.meta.dir, file)], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
    // Node reads no other serialization.
    serialization: "json",
    ipc: (port: number) => listening.resolve(port),
  });
  server.exited.then((code) => listening.reject(new Error(`${file} ended with exit code ${code}.`)));
  return { port: await listening.promise, pid: server.pid, stop: () => server.kill() };
}
