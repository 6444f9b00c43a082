import { createHash } from "node:crypto";

/** The path of feeds. The part after it is a secret, and no log has it. */
const calendarPath = "/calendar/";

/** Hashes a secret for storage. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("base64url");

export const feedAddress = (baseUrl: string, secret: string): string =>
  `${baseUrl}${calendarPath}${secret}.ics`;
