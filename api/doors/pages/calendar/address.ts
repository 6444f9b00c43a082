import { createHash } from "node:crypto";

/** The path below which feeds are. What comes after it is a secret, and is in no log. */
const calendarPath = "/calendar/";

/** Hashes a secret for storage. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

export const feedAddress = (baseUrl: string, secret: string): string =>
  `${baseUrl}${calendarPath}${secret}.ics`;
