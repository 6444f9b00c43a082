import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { readDay } from "../../../../api/queries/dashboard/read.ts";
import { createQueryContext, openQueryDatabase } from "../../../../api/queries/engine/context.ts";
import { read } from "../../../../api/queries/index.ts";
import { dueGroups, readTodoPage } from "../../../../api/queries/todo/groups.ts";
import { openDatabase } from "../../../../shared/db/orm.ts";
import { localTime } from "../../../../shared/domain/day/day.ts";
import { createLog } from "../../../../shared/process/observe/log.ts";
import { createDatabase, type JsonBody } from "../../../harness.ts";

const database = await openDatabase({ url: await createDatabase(), log: createLog("test", "error") });
afterAll(() => database.close());

const db = openQueryDatabase(database);
const contextOf = (userId: string, now: number) =>
  createQueryContext({ db, userId, now, defaultTimeZone: "UTC", baseUrl: "http://kept.test" });
type Todo = Readonly<{ id: number; due_date: string | null; due_time: string | null; is_overdue: boolean }>;

/** Todos due around the present minute, with and without a time, some of them completed. */
const clock = fc.record({
  zone: fc.constantFrom("Europe/Berlin", "America/St_Johns", "Pacific/Kiritimati", "UTC"),
  startHour: fc.constantFrom(0, 4, 6),
  now: fc.oneof(
    fc.constantFrom(
      ...["2026-03-29T01:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:15:00Z"].map(Date.parse),
    ),
    fc
      .integer({ min: Date.UTC(2026) / 60_000, max: Date.UTC(2027) / 60_000 })
      .map((minute) => minute * 60_000),
  ),
});
const todos = fc.array(
  fc.record({ minutes: fc.integer({ min: -3_000, max: 3_000 }), kind: fc.nat(9), isDone: fc.boolean() }),
  { minLength: 1, maxLength: 12 },
);

async function makePerson(sub: string, { zone, startHour, now }: JsonBody, given: JsonBody[]): Promise<void> {
  await database.pool.query(
    `insert into users (user_id, time_zone, zone_source, day_start_hour, created_at, updated_at)
     values ($1, $2, 'chosen', $3, now(), now())`,
    [sub, zone, startHour],
  );
  const rows = given.map(({ minutes, kind, isDone }, index) => {
    const wall = localTime(now + (kind === 0 ? 0 : minutes) * 60_000, zone);
    const due = {
      due_date: kind === 9 ? null : wall.slice(0, 10),
      due_time: kind > 6 ? null : wall.slice(11, 16),
    };
    return { id: index + 1, ...due, is_completed: isDone };
  });
  await database.pool.query(
    `insert into todos (user_id, id, title, due_date, due_time, is_completed, completed_on, recurrence_from, created_at, updated_at)
     select $1, id, 'x', due_date, due_time, is_completed, case when is_completed then date '2026-01-01' end, 'due', now(), now()
     from jsonb_to_recordset($2::jsonb) as r(id bigint, due_date date, due_time text, is_completed boolean)`,
    [sub, JSON.stringify(rows)],
  );
}

const idsOf = (found: readonly Todo[]): number[] => found.map(({ id }) => id);

test("each list and count of overdue todos has those that are shown as overdue", async () => {
  let people = 0;
  await fc.assert(
    fc.asyncProperty(clock, todos, async (time, given) => {
      people += 1;
      const sub = `person ${people}`;
      await makePerson(sub, time, given);
      const query = contextOf(sub, time.now);
      const listed = async (input: object) => ((await read("todo.list", query, input)) as JsonBody).data;
      const pending = async (input: object) => ((await read("todo.pending", query, input)) as JsonBody).todos;
      const all: Todo[] = await listed({});
      const overdue = idsOf(all.filter(({ is_overdue }) => is_overdue));
      for (const filter of [
        { due: "overdue" },
        { due: "overdue", q: "x" },
        { due: "overdue", status: "all" },
      ])
        expect(idsOf(await listed(filter))).toEqual(overdue);
      for (const filter of [{ overdue_only: true }, { due: "overdue" }, { overdue_only: true, query: "x" }])
        expect(idsOf(await pending(filter))).toEqual(overdue);
      const today = idsOf(await pending({ due: "today" }));
      const both = overdue.filter((id) => today.includes(id));
      expect(idsOf(await pending({ due: "today", overdue_only: true }))).toEqual(both);
      const day = await readDay(query, 1);
      expect(day.counts.overdue).toBe(overdue.length);
      expect(idsOf(day.todos)).toEqual(idsOf(all));
      const groups: number[] = [];
      for (const group of dueGroups) {
        const page = await readTodoPage(query, day.today, {
          group: { name: group, firstWeekday: 1 },
          page: 1,
        });
        expect([group, page.total]).toEqual([group, day.counts[group]]);
        if (group === "overdue") expect(idsOf(page.pending)).toEqual(overdue);
        groups.push(...idsOf(page.pending));
      }
      expect(groups.toSorted()).toEqual(idsOf(all).toSorted());
    }),
    { numRuns: 25 },
  );
});

test("todos of a day are in the order of their times, and pages go on after any of them", async () => {
  const now = Date.parse("2026-11-20T12:00:00Z");
  const times = ["14:30", null, "09:05", "14:30", null, "00:00"];
  await makePerson("order", { zone: "UTC", startHour: 0, now }, []);
  for (const [index, time] of times.entries())
    await database.pool.query(
      `insert into todos (user_id, id, title, due_date, due_time, time_of_day, is_completed, recurrence_from, created_at, updated_at)
       values ('order', $1, 'x', '2026-11-21', $2, $3, false, 'due', now(), now())`,
      [index + 1, time, index === 3 ? "morning" : null],
    );
  const query = contextOf("order", now);
  const found: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: JsonBody = await read("todo.pending", query, { limit: 1, ...(cursor && { cursor }) });
    found.push(...idsOf(page.todos));
    cursor = page.next_cursor;
  }
  expect(found).toEqual([6, 3, 4, 1, 2, 5]);
  const { todos: rest }: JsonBody = await read("todo.pending", query, { cursor: "2026-11-20.-.9" });
  expect(idsOf(rest)).toEqual(found);
});
