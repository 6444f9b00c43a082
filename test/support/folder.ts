import { afterAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const temporaryFolder = (name: string): string => mkdtempSync(join(tmpdir(), `kept-${name}-`));

/** Lends a temporary folder to `work`, and removes it afterwards. */
export async function inFolder<Result>(
  name: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = temporaryFolder(name);
  return work(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}

/** A temporary folder that ends with the file. */
export function folderOfFile(name: string): string {
  const folder = temporaryFolder(name);
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
