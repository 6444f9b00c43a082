import type { EventName } from "./journal/events.ts";

type WayOut = Readonly<{
  /** Its name in the table of who can see a person's data. */
  what: string;
  /** The data that leaves by it. */
  reads: string;
  /** The events by which a person is told of a new one. */
  tells: readonly EventName[];
}>;

/**
 * Every way in which an account's data leaves it. Opening one takes a proof of the last ten minutes, its person is told,
 * and "end all" ends it: pages, workers and tests have one entry for each.
 */
export const waysOut = {
  token: { what: "Token", reads: "what its permissions allow", tells: ["token_made", "token_rotated"] },
  app: { what: "Connected app", reads: "what its permissions allow", tells: ["app_connected"] },
  webhook: { what: "Webhook", reads: "changes", tells: ["webhook_made", "webhook_moved"] },
  calendar: { what: "Calendar address", reads: "open todos", tells: ["feed_made"] },
  channel: { what: "Reminders to an address", reads: "reminders", tells: ["channel_added"] },
  browser: { what: "Reminders in a browser", reads: "reminders", tells: ["channel_added"] },
  export: { what: "Downloaded file", reads: "what is in the file", tells: ["exported"] },
} as const satisfies Record<string, WayOut>;

export type WayOutKind = keyof typeof waysOut;

export const wayOutKinds: readonly WayOutKind[] = Object.keys(waysOut).filter(
  (kind): kind is WayOutKind => kind in waysOut,
);
