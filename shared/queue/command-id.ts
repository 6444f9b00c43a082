import { createHash } from "node:crypto";
import type { CommandName } from "../contracts/catalogue.ts";

/** Tells two requests under one idempotency key apart: sha256 of the command's name and validated input. */
export const fingerprintOf = (name: CommandName, input: unknown): string =>
  hash(`${name}\n${JSON.stringify(input)}`).toString("base64url");

/** Derives a command id from an idempotency key: a UUIDv8 (RFC 9562 §5.8), per user and the same on both doors. */
export const keyedId = (userId: string, key: string): string => idFrom([userId, key]);

/** The id of an operation of a group that has no key of its own, from the key of the whole group. */
export const indexedId = (userId: string, key: string, index: number): string => idFrom([userId, key, index]);

/**
 * The id of an operation's row in the action log is its request's id, except that the last two digits are its
 * index. So a search for the request finds its operations.
 */
export const operationRequestId = (requestId: string, index: number): string =>
  requestFamily(requestId) + index.toString(16).padStart(2, "0");

/** The part that the ids of a request and of its operations have in common. */
export const requestFamily = (requestId: string): string => requestId.slice(0, -2).toLowerCase();

/** Lists of different lengths give different texts, so no key can be chosen to get another one's id. */
function idFrom(parts: readonly (string | number)[]): string {
  const bytes = hash(JSON.stringify(parts)).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const hash = (text: string): Buffer => createHash("sha256").update(text).digest();
