import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";

/** Returns a random password, made at the first call and stored in a file that only this user may read. */
export function persistentSecret(file: string): string {
  if (!existsSync(file)) {
    const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url");
    writeFileSync(`${file}.new`, secret, { mode: 0o600, flush: true });
    chmodSync(`${file}.new`, 0o600);
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, "utf8");
}
