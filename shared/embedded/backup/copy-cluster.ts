import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { spoolFolder } from "../servers/archive.ts";
import type { Manifest } from "./catalogue.ts";
import { pack, packedName, toDisk, unpack } from "./packed.ts";

/** Files that belong to the running server. */
const leftOut = new Set([spoolFolder, "postmaster.pid", "postmaster.opts"]);
/** Folders whose files the server makes anew or restores from the log. */
const leftEmpty = new Set([
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
  "pgsql_tmp",
]);
const filesAtOnce = 8;

type Contents = Pick<Manifest, "folders" | "files">;

/** Copies a cluster that may be running, compressed. Only the log makes the copy consistent. */
export async function copyCluster(cluster: string, target: string): Promise<Contents> {
  const folders: string[] = [];
  const paths: string[] = [];
  listFiles(cluster, "", { folders, paths });
  for (const folder of ["", ...folders]) mkdirSync(join(target, folder), { recursive: true, mode: 0o700 });
  const files: [string, number][] = [];
  await eachOf(paths, async (path) => {
    try {
      files.push([path, await pack(join(cluster, path), join(target, packedName(path)))]);
    } catch (error) {
      // Tables may be dropped meanwhile; the log then drops them too.
      if (!isGone(error)) throw error;
    }
  });
  for (const folder of ["", ...folders]) await toDisk(join(target, folder));
  return { folders, files };
}

/**
 * Unpacks a copied cluster into `cluster`.
 * @throws when a file is missing or damaged
 */
export async function restoreCluster(
  source: string,
  cluster: string,
  { folders, files }: Contents,
): Promise<void> {
  for (const folder of ["", ...folders]) mkdirSync(join(cluster, folder), { recursive: true, mode: 0o700 });
  await eachOf(files, ([path, bytes]) => unpack(join(source, packedName(path)), join(cluster, path), bytes));
}

function listFiles(cluster: string, folder: string, found: { folders: string[]; paths: string[] }): void {
  for (const entry of readdirSync(join(cluster, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (leftOut.has(path)) continue;
    if (entry.isSymbolicLink())
      throw new Error(`${join(cluster, path)} leads to another place, which would not be in the backup.`);
    if (entry.isDirectory()) {
      found.folders.push(path);
      if (!leftEmpty.has(entry.name)) listFiles(cluster, path, found);
    } else if (entry.isFile()) found.paths.push(path);
  }
}

async function eachOf<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: filesAtOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "ENOENT";
