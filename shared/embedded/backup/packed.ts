import { createReadStream, createWriteStream, mkdirSync, readdirSync, statSync } from "node:fs";
import { open, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { constants, createZstdCompress, createZstdDecompress, zstdCompress } from "node:zlib";
import { spoolFolder } from "../servers/postgres.ts";

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

export type Contents = Readonly<{
  folders: readonly string[];
  files: readonly (readonly [path: string, bytes: number])[];
}>;

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

/** The checksum keeps damaged files from being restored. */
const format = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };
const compress = promisify(zstdCompress);

/**
 * Files up to this size are read at once: a cluster has many small ones, and streams take ten times as long for them.
 */
const atOnceBytes = 16 * 1024 * 1024;
const ownFile = { mode: 0o600 };

/** The name of a compressed file, which `zstd -d` accepts too. */
export const packedName = (name: string): string => `${name}.zst`;

/**
 * Compresses a file, which may be written to meanwhile.
 * @returns the number of bytes read
 */
export async function pack(source: string, target: string): Promise<number> {
  let read: number;
  if (statSync(source).size > atOnceBytes) {
    const reading = createReadStream(source);
    await pipeline(reading, createZstdCompress(format), createWriteStream(target, ownFile));
    read = reading.bytesRead;
  } else {
    const bytes = await Bun.file(source).bytes();
    await writeFile(target, await compress(bytes, format), ownFile);
    read = bytes.length;
  }
  await toDisk(target);
  return read;
}

/** Packs a file under a temporary name and renames it, so that its own name always means a whole file. */
export async function packWhole(source: string, target: string): Promise<void> {
  await pack(source, `${target}.new`);
  await rename(`${target}.new`, target);
  await toDisk(dirname(target));
}

/** @throws when the file is damaged or has another size than `bytes` */
export async function unpack(source: string, target: string, bytes: number): Promise<void> {
  if (bytes > atOnceBytes)
    await pipeline(createReadStream(source), createZstdDecompress(), createWriteStream(target, ownFile));
  else await writeFile(target, await Bun.zstdDecompress(await Bun.file(source).bytes()), ownFile);
  if (statSync(target).size !== bytes) throw new Error(`${source} is damaged.`);
}

/** Waits until a file, or the names in a folder, would survive a power cut. */
export async function toDisk(path: string): Promise<void> {
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
}
