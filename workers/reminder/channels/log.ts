import type { Log } from "../../../shared/process/observe/log.ts";
import { type Channel, contentOf } from "./channel.ts";

/** Writes a line to the service's log. This is the channel of users who chose none. */
export function createLogChannel(log: Log, defaultTimeZone: string): Channel {
  return {
    async send(delivery) {
      log.info({ user_id: delivery.user_id, ...contentOf(delivery, defaultTimeZone) }, "reminder");
      return { ok: true };
    },
    close() {},
  };
}
