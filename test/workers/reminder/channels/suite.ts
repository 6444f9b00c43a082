import { afterAll, describe, expect, test } from "bun:test";
import { perTarget, type ReminderChannel } from "../../../../shared/domain/reminder/channels.ts";
import { readOffer } from "../../../../shared/domain/reminder/link.ts";
import { type Channel, messageOf } from "../../../../workers/reminder/channels/channel.ts";
import type { LeasedDelivery } from "../../../../workers/reminder/lease.ts";
import type { startInbox } from "../../../support/reminder/inbox.ts";

type Inbox = ReturnType<typeof startInbox>;

/** The facts that a receiver gets from every channel. */
export type Seen = Readonly<{ id: string; text: string; late: boolean }>;

export type Subject = Readonly<{
  channel: Channel;
  /** The user's target, and missing, unreachable and refusing targets, if the channel can have them. */
  target: Partial<LeasedDelivery>;
  unset?: Partial<LeasedDelivery>;
  broken?: Partial<LeasedDelivery>;
  /** The server that answers, its statuses that end a reminder, and those after which it is tried again. */
  refusals?: Readonly<{ inbox: Inbox; ends: readonly number[]; passes: readonly number[] }>;
  seen(): Seen[];
}>;

let lastTodo = 0;

/** A todo without notes and date, but for these fields. */
export const todoOf = (fields: object = {}) => ({
  ...{ id: ++lastTodo, title: "Call Grace", description: null, due_date: null, due_time: null },
  ...fields,
});

/** Closes a channel at the end of the file. */
export function closedAfter<One extends Channel & { close(): void }>(channel: One): One {
  afterAll(() => channel.close());
  return channel;
}

export function delivery(fields: Partial<LeasedDelivery> = {}): LeasedDelivery {
  return {
    user_id: "ada",
    id: crypto.randomUUID(),
    attempts: 1,
    begun_at: "2026-11-27T08:00:00Z",
    signed_at: new Date().toISOString(),
    late: false,
    overdue_seconds: 0,
    channel: "log",
    scheduled_at: "2026-11-21 08:00:00+00",
    time_zone: "Europe/Berlin",
    locale: null,
    todo: todoOf({
      ...{ title: "Water the plants", description: "Not the cactus" },
      ...{ due_date: "2026-11-22", due_time: "14:30" },
    }),
    habit: null,
    about: null,
    browsers: null,
    ...perTarget(() => null),
    webhook_secret: null,
    webhook_failures: 0,
    webhook_disabled_at: null,
    ...fields,
  };
}

/** The service's address and settings in messages. */
export const options = { baseUrl: "https://kept.example", defaultTimeZone: "UTC" };
export const linkKeys = ["a key of links"] as const;

/** Sends like the deliverer. */
export const sendBy = (channel: Channel, one: LeasedDelivery) =>
  channel.send(one, messageOf(one, options, linkKeys));

/** The delivery of a message with these links. */
export function deliveryOf(text: string): string {
  const [, link = ""] = /\/remind\/([\w.-]+)/.exec(text) ?? [];
  const offer = readOffer(link, linkKeys, Date.now());
  return typeof offer === "object" ? offer.deliveryId : "";
}

/** The tests that every channel passes, however it sends. */
export function behavesAsChannel(name: ReminderChannel, subject: Subject): void {
  const { channel, target, unset, broken, refusals, seen } = subject;
  const find = (id: string) => seen().filter((one) => one.id === id);

  describe(`as every channel, ${name}`, () => {
    test("tells the title, the time on the user's clock and the delivery's id", async () => {
      const sent = delivery(target);
      expect(await sendBy(channel, sent)).toEqual({ ok: true });
      const [one] = find(sent.id);
      expect(one?.text).toContain("Water the plants");
      expect(one?.text).toMatch(/(2026-11-21T|21 Nov )09:00/);
      expect(one?.text).toContain("14:30");
      const ofHabit = delivery({
        ...target,
        todo: null,
        habit: { id: 3, name: "Morning run", description: null, type: "good", day: "2026-11-21" },
      });
      expect(await sendBy(channel, ofHabit)).toEqual({ ok: true });
      expect(seen().at(-1)?.text).toContain("Morning run");
      expect(one?.late).toBe(false);
    });

    test("carries the same id again when it sends again", async () => {
      const sent = delivery(target);
      await sendBy(channel, sent);
      await sendBy(channel, { ...sent, attempts: 2 });
      expect(find(sent.id)).toHaveLength(2);
    });

    test("says when it is late", async () => {
      const sent = delivery({ ...target, late: true });
      await sendBy(channel, sent);
      expect(find(sent.id)[0]?.late).toBe(true);
    });

    test("brings a title of any kind to the receiver unchanged", async () => {
      const title = `Ünïcode 🌱 <b>"bold"</b> & 'more' \\ =3D %41 ${"x".repeat(200)}`;
      const sent = delivery({ ...target, todo: todoOf({ title }) });
      expect(await sendBy(channel, sent)).toEqual({ ok: true });
      expect(find(sent.id)[0]?.text).toContain(title);
    });

    test("sends many at once, each one once", async () => {
      const many = Array.from({ length: 50 }, () => delivery(target));
      const results = await Promise.all(many.map((one) => sendBy(channel, one)));
      expect(results.every(({ ok }) => ok)).toBe(true);
      expect(many.filter(({ id }) => find(id).length !== 1)).toEqual([]);
    });

    if (unset) {
      test("fails for good, and says so, where nothing is set", async () => {
        expect(await sendBy(channel, delivery(unset))).toMatchObject({ ok: false, final: true });
      });
    }

    if (refusals) {
      const { inbox, ends, passes } = refusals;
      test.each([...ends, ...passes])(
        "ends a reminder for good, or not, as the answer %d says",
        async (status) => {
          inbox.behaviour.status = () => status;
          const result = await sendBy(channel, delivery(target));
          expect(result).toMatchObject({ ok: false, final: ends.includes(status) });
          expect(JSON.stringify(result)).not.toContain(target.telegram_bot_token ?? "a token");
          inbox.behaviour.status = () => 200;
        },
      );
    }

    if (broken) {
      test("fails for now, with a reason, where nobody answers", async () => {
        const result = await sendBy(channel, delivery(broken));
        expect(result).toMatchObject({ ok: false, final: false });
        expect("reason" in result && result.reason.length).toBeGreaterThan(10);
      });
    }
  });
}
