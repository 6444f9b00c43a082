import { describe, expect, test } from "bun:test";
import type { Channel } from "../../../../workers/reminder/channels/channel.ts";
import type { LeasedDelivery } from "../../../../workers/reminder/lease.ts";

/** The facts that a receiver gets from every channel. */
export type Seen = Readonly<{ id: string; text: string; late: boolean }>;

export type Subject = Readonly<{
  channel: Channel;
  /** The user's target, and targets that are missing, down or refusing, if the channel can have them. */
  target: Partial<LeasedDelivery>;
  unset?: Partial<LeasedDelivery>;
  broken?: Partial<LeasedDelivery>;
  seen(): Seen[];
}>;

let lastTodo = 0;

export function delivery(fields: Partial<LeasedDelivery> = {}): LeasedDelivery {
  return {
    user_id: "ada",
    id: crypto.randomUUID(),
    attempts: 1,
    begun_at: new Date().toISOString(),
    late: false,
    overdue_seconds: 0,
    channel: "log",
    scheduled_at: "2026-11-21 08:00:00+00",
    time_zone: "Europe/Berlin",
    todo: { id: ++lastTodo, title: "Water the plants", due_date: "2026-11-22" },
    email: null,
    webhook_url: null,
    webhook_secret: null,
    webhook_failures: 0,
    webhook_disabled_at: null,
    ...fields,
  };
}

/** The tests that every channel passes, however it sends. */
export function behavesAsChannel(name: string, { channel, target, unset, broken, seen }: Subject): void {
  const find = (id: string) => seen().filter((one) => one.id === id);

  describe(`as every channel, ${name}`, () => {
    test("tells the title, the time on the user's clock and the delivery's id", async () => {
      const sent = delivery(target);
      expect(await channel.send(sent)).toEqual({ ok: true });
      const [one] = find(sent.id);
      expect(one?.text).toContain("Water the plants");
      expect(one?.text).toMatch(/2026-11-21[T ]09:00/);
      expect(one?.late).toBe(false);
    });

    test("carries the same id again when it sends again", async () => {
      const sent = delivery(target);
      await channel.send(sent);
      await channel.send({ ...sent, attempts: 2 });
      expect(find(sent.id)).toHaveLength(2);
    });

    test("says when it is late", async () => {
      const sent = delivery({ ...target, late: true });
      await channel.send(sent);
      expect(find(sent.id)[0]?.late).toBe(true);
    });

    test("brings a title of any kind to the receiver unchanged", async () => {
      const title = `Ünïcode 🌱 <b>"bold"</b> & 'more' \\ =3D %41 ${"x".repeat(200)}`;
      const sent = delivery({ ...target, todo: { id: ++lastTodo, title, due_date: null } });
      expect(await channel.send(sent)).toEqual({ ok: true });
      expect(find(sent.id)[0]?.text).toContain(title);
    });

    test("sends many at once, each one once", async () => {
      const many = Array.from({ length: 200 }, () => delivery(target));
      const results = await Promise.all(many.map((one) => channel.send(one)));
      expect(results.every(({ ok }) => ok)).toBe(true);
      expect(many.filter(({ id }) => find(id).length !== 1)).toEqual([]);
    });

    if (unset) {
      test("fails for good, and says so, where nothing is set", async () => {
        expect(await channel.send(delivery(unset))).toMatchObject({ ok: false, final: true });
      });
    }

    if (broken) {
      test("fails for now, with a reason, where nobody answers", async () => {
        const result = await channel.send(delivery(broken));
        expect(result).toMatchObject({ ok: false, final: false });
        expect("reason" in result && result.reason.length).toBeGreaterThan(10);
      });
    }
  });
}
