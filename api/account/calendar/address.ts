import { createHash, randomBytes } from "node:crypto";

/** The path below which feeds are. What comes after it is a secret, and is in no log. */
const calendarPath = "/calendar/";

/** 256 bits: whoever has the address can read the feed, and nobody can guess one. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** What is stored of a secret. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

export const feedAddress = (baseUrl: string, secret: string): string =>
  `${baseUrl}${calendarPath}${secret}.ics`;
