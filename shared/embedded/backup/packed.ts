import { createReadStream, createWriteStream } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";

/** With a checksum, so that a damaged file is not restored. */
const format = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

/** What a compressed file is called, so that `zstd -d` takes it as well. */
export const packedName = (name: string): string => `${name}.zst`;

/** Compresses a file. It may be written to meanwhile. @returns how many bytes were read */
export async function pack(source: string, target: string): Promise<number> {
  const reading = createReadStream(source);
  await pipeline(reading, createZstdCompress(format), createWriteStream(target, { mode: 0o600 }));
  await toDisk(target);
  return reading.bytesRead;
}

/** Packs a file under a name that nobody takes for a whole one, and then gives it its own. */
export async function packWhole(source: string, target: string): Promise<void> {
  await pack(source, `${target}.new`);
  await rename(`${target}.new`, target);
  await toDisk(dirname(target));
}

/** @throws when the file is damaged or has another size than `bytes` */
export async function unpack(source: string, target: string, bytes: number): Promise<void> {
  const writing = createWriteStream(target, { mode: 0o600 });
  await pipeline(createReadStream(source), createZstdDecompress(), writing);
  if (writing.bytesWritten !== bytes) throw new Error(`${source} is damaged.`);
}

/** Waits until a file, or the names in a folder, would survive a power cut. */
export async function toDisk(path: string): Promise<void> {
  const file = await open(path, "r");
  await file.sync().finally(() => file.close());
}
