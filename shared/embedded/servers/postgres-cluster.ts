import { chownSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawnGuarded, type User } from "./guard.ts";

/** A PostgreSQL data folder, the programs that work on it and the user who runs them. */
export type Cluster = Readonly<{
  /** The folder of PostgreSQL's programs. */
  bin: string;
  folder: string;
  logFile: string;
  /** The user of the programs; undefined for the current user. */
  user: User | undefined;
  password: string;
}>;

/** Builds the cluster in another folder and then moves it, so that a killed start leaves no half of one. */
export async function createCluster({ bin, folder, logFile, user, password }: Cluster): Promise<void> {
  const draft = `${folder}.new`;
  const cluster = join(draft, "cluster");
  const passwordFile = join(draft, "password");
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [draft, cluster, passwordFile]) chownSync(path, user.uid, user.gid);
  const seenFolder = seenBy(user, cluster);
  const initdb = spawnGuarded({
    command: [
      ...[join(bin, "initdb"), "-D", seenFolder, "--username=kept", `--pwfile=${seenFolder}/../password`],
      ...["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"],
      ...["--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
    ],
    cwd: cluster,
    user,
    logFile,
    stopSignal: "TERM",
  });
  if ((await initdb.exited) !== 0) throw new Error(`PostgreSQL's initdb failed: see ${logFile}`);
  renameSync(cluster, folder);
  rmSync(draft, { recursive: true });
}

/**
 * PostgreSQL refuses to run as root, so root runs it as the cluster's owner, or as postgres or nobody.
 * @returns undefined when the current user can run it
 */
export function serviceUser(folder: string): User | undefined {
  const own = process.getuid?.();
  const owner = statSync(folder, { throwIfNoEntry: false });
  if (owner && (owner.uid === 0 || (own !== 0 && owner.uid !== own)))
    throw new Error(
      `${folder} belongs to ${owner.uid === 0 ? "root, as whom PostgreSQL may not run" : "another user"}. Give it to the user who runs it: chown --recursive USER ${folder}`,
    );
  if (own !== 0) return undefined;
  if (process.platform !== "linux") throw new Error("Start Kept as an ordinary user, not as root.");
  if (owner) return { uid: owner.uid, gid: owner.gid };
  const accounts = readFileSync("/etc/passwd", "utf8");
  for (const name of ["postgres", "nobody"]) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, "m").exec(accounts) ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("PostgreSQL may not run as root, and there is no user postgres or nobody to run it as.");
}

/**
 * A path of `folder` for a program of `user` whose working directory it is. Another user may not pass the folders above
 * (a checkout in /root), but always reaches the working directory.
 */
export function seenBy(user: User | undefined, folder: string): string {
  return user ? "/proc/self/cwd" : folder;
}
