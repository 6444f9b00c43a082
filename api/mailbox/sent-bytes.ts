import { Buffer } from "node:buffer";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { type Refused, refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Mailbox } from "./mailbox.ts";

const hour = 3_600;
/** Deletions, and what the door itself sends: a read's row in the log must not fail. */
const isFree = /\.delete$|^action\.(record|count)$|^journal\./;

/** A mailbox that takes only so many bytes of an account in an hour. Each front door counts by itself. */
export function limitSentBytes(
  mailbox: Mailbox,
  { sentMegabytesPerHour }: Pick<Config, "sentMegabytesPerHour">,
): Mailbox {
  if (sentMegabytesPerHour === 0) return mailbox;
  const limiter = new RateLimiterMemory({ points: sentMegabytesPerHour * 1_000_000, duration: hour });
  return {
    ...mailbox,
    async send(command) {
      if (isFree.test(command.name)) return mailbox.send(command);
      const { userId, input, group } = command;
      const bytes = Buffer.byteLength(JSON.stringify(group ?? input ?? null));
      const over = await limiter.consume(userId, bytes).then(() => undefined, secondsLeft);
      return over === undefined ? mailbox.send(command) : { outcome: sentTooMuch(over), replayed: false };
    },
  };
}

function secondsLeft(error: unknown): number {
  if (error instanceof RateLimiterRes) return Math.max(1, Math.ceil(error.msBeforeNext / 1_000));
  throw error;
}

const sentTooMuch = (seconds: number): Refused =>
  refuse("rate_limited", "Your account sent too much in this hour", {
    next: `wait ${seconds} seconds.`,
    retryAfterSeconds: seconds,
  });
