import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** The acts that the message of a todo's reminder offers. */
export const acts = ["done", "hour", "tomorrow"] as const;
export type Act = (typeof acts)[number];

export const habitActs = ["done", "hour", "skip"] as const;

export type TodoOffer = Readonly<{ userId: string; deliveryId: string; todoId: number; act: Act }>;

export type HabitOffer = Readonly<{
  userId: string;
  deliveryId: string;
  habitId: number;
  date: string;
  act: (typeof habitActs)[number];
}>;

export type Offer = TodoOffer | HabitOffer;

export const actLabels: Readonly<Record<Offer["act"], string>> = {
  done: "Done",
  hour: "In an hour",
  tomorrow: "Tomorrow",
  skip: "Skip today",
};

/** The path of these links. The part after it is a secret, and no log has it. */
export const actPath = "/remind/";

/** A person can answer reminders after a week's holiday. */
const lifetimeMs = 7 * 24 * 60 * 60 * 1_000;

/** The first key signs; signatures of all keys are accepted. */
type Keys = readonly [string, ...string[]];

/** Signs an offer. A person with the link may accept it, once, within seven days of `now` (epoch ms). */
export function signOffer(offer: Offer, keys: Keys, now: number): string {
  const end = Math.floor((now + lifetimeMs) / 1_000);
  const content = Buffer.from(JSON.stringify(partsOf(offer, end))).toString("base64url");
  return `${content}.${signatureOf(content, keys[0]).toString("base64url")}`;
}

/** A habit's link has no todo, so a front door of an earlier release can do nothing with it. */
function partsOf(offer: Offer, end: number): readonly unknown[] {
  const { userId, deliveryId, act } = offer;
  if ("todoId" in offer) return [userId, offer.todoId, deliveryId, act, end];
  return [userId, null, deliveryId, act, end, offer.habitId, offer.date];
}

const longest = 2_000;

/** @returns undefined if none of these keys made the link */
export function readOffer(link: string, keys: Keys, now: number): Offer | "expired" | undefined {
  const [content = "", signature = "", ...more] = link.split(".");
  const sent = Buffer.from(signature, "base64url");
  if (link.length > longest || sent.length !== 32 || more.length > 0) return undefined;
  if (!keys.some((key) => timingSafeEqual(signatureOf(content, key), sent))) return undefined;
  const [userId, todoId, deliveryId, act, end, habitId, date] = JSON.parse(
    Buffer.from(content, "base64url").toString(),
  );
  if (end * 1_000 < now) return "expired";
  return todoId === null ? { userId, deliveryId, habitId, date, act } : { userId, deliveryId, todoId, act };
}

function signatureOf(content: string, secret: string): Buffer {
  const key = hkdfSync("sha256", secret, "kept reminders", "links", 32);
  return createHmac("sha256", new Uint8Array(key)).update(content).digest();
}
