import { createReadStream, createWriteStream, statSync } from "node:fs";
import { open, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { constants, createZstdCompress, createZstdDecompress, zstdCompress } from "node:zlib";

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
  const bytes =
    statSync(source).size > atOnceBytes ? await packStream(source, target) : await packAtOnce(source, target);
  await toDisk(target);
  return bytes;
}

async function packAtOnce(source: string, target: string): Promise<number> {
  const bytes = await Bun.file(source).bytes();
  await writeFile(target, await compress(bytes, format), ownFile);
  return bytes.length;
}

async function packStream(source: string, target: string): Promise<number> {
  const reading = createReadStream(source);
  await pipeline(reading, createZstdCompress(format), createWriteStream(target, ownFile));
  return reading.bytesRead;
}

/** Packs a file under a temporary name and renames it, so that its own name always means a whole file. */
export async function packWhole(source: string, target: string): Promise<void> {
  await pack(source, `${target}.new`);
  await rename(`${target}.new`, target);
  await toDisk(dirname(target));
}

/** @throws when the file is damaged or has another size than `bytes` */
export async function unpack(source: string, target: string, bytes: number): Promise<void> {
  const written =
    bytes > atOnceBytes ? await unpackStream(source, target) : await unpackAtOnce(source, target);
  if (written !== bytes) throw new Error(`${source} is damaged.`);
}

async function unpackAtOnce(source: string, target: string): Promise<number> {
  const bytes = await Bun.zstdDecompress(await Bun.file(source).bytes());
  await writeFile(target, bytes, ownFile);
  return bytes.length;
}

async function unpackStream(source: string, target: string): Promise<number> {
  const writing = createWriteStream(target, ownFile);
  await pipeline(createReadStream(source), createZstdDecompress(), writing);
  return writing.bytesWritten;
}

/** Waits until a file, or the names in a folder, would survive a power cut. */
export async function toDisk(path: string): Promise<void> {
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
}
