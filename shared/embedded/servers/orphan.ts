import { readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";

/**
 * Ends the server that an earlier run left in `folder`, and removes its pid file, which would stop the next server.
 * After a reboot the pid may be any process's, so it is ended only if its working directory is that folder.
 */
export async function endOrphan(
  pidFile: string,
  folder: string,
  polite: "SIGINT" | "SIGTERM",
): Promise<void> {
  const pid = readPid(pidFile);
  if (pid === undefined) return;
  for (const signal of [polite, "SIGKILL"] as const) {
    if (!worksIn(pid, folder)) break;
    process.kill(pid, signal);
    const deadline = performance.now() + 10_000;
    while (worksIn(pid, folder) && performance.now() < deadline) await Bun.sleep(20);
  }
  rmSync(pidFile, { force: true });
}

function readPid(pidFile: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidFile, "utf8"), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function worksIn(pid: number, folder: string): boolean {
  if (process.platform === "linux") {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
    } catch {
      return false;
    }
  }
  const { stdout } = Bun.spawnSync(["lsof", "-a", "-p", String(pid), "-d", "cwd", "-Fn"]);
  return stdout
    .toString()
    .split("\n")
    .includes(`n${realpathSync(folder)}`);
}
