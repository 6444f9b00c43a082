import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** Scanners of secrets find a leaked token by its prefix, and tell it from made-up ones by its checksum. */
const prefix = "kept_";
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The number of base62 digits for 256 bits. */
const randomLength = 43;
const checksumLength = 6;
const form = new RegExp(
  `^${prefix}(?<random>[0-9A-Za-z]{${randomLength}})(?<checksum>[0-9A-Za-z]{${checksumLength}})$`,
);

/** A new personal access token: `kept_`, 256 random bits in base62, and their CRC-32 in base62. */
export function newPersonalToken(): string {
  const random = Array.from({ length: randomLength }, () => digits[randomInt(digits.length)]).join("");
  return `${prefix}${random}${checksumOf(random)}`;
}

/** True if a text has the form of a personal token but a wrong checksum: it was mistyped or made up. */
export function isMistypedToken(text: string): boolean {
  const { random, checksum } = form.exec(text)?.groups ?? {};
  return random !== undefined && checksumOf(random) !== checksum;
}

/** Hashes a token for storage. A token is 256 random bits, so it needs no salt and no slow hash. */
export function hashToken(token: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(token).digest();
}

/** The hash of a text of any length, as keys and cookies take it. */
export const hashedKey = (text: string): string => hashToken(text).toString("base64url");

/** True if the built-in provider can have issued a token with this id; the log may have ids of another provider. */
export const isConnectionId = (id: string): boolean => /^[\w-]{1,64}$/.test(id);

/** The CRC-32 of the random part in base62, filled up with zeros from the left. */
function checksumOf(random: string): string {
  let rest = crc32(random);
  let checksum = "";
  while (checksum.length < checksumLength) {
    checksum = `${digits[rest % digits.length]}${checksum}`;
    rest = Math.floor(rest / digits.length);
  }
  return checksum;
}
