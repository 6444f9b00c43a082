import { expect, test } from "bun:test";
import { readApart } from "../../../../../../api/doors/pages/import/apart/read-apart.ts";
import type { AreHere } from "../../../../../../api/doors/pages/import/plan.ts";

const today = { date: "2026-11-22", timeZone: "Europe/Berlin" };

const nothing: AreHere = async (things) => things.map(() => undefined);
const read = (text: string, areHere = nothing) =>
  readApart({ files: [{ name: "a.json", bytes: new TextEncoder().encode(text) }], today }, areHere);

const kept = (todos: string) => `{"format":"kept-export","version":1,"todos":[${todos}]}`;

const todo = (id: number) =>
  JSON.stringify({ id, title: `Todo ${id}`, is_completed: false, recurrence_from: "due" });

test("a file is read in a process that asks its caller what is here", async () => {
  const asked: number[] = [];
  const plan = await read(
    kept(Array.from({ length: 6_000 }, (_, id) => todo(id + 1)).join(",")),
    async (things) => {
      asked.push(things.length);
      return things.map((_, index) => (index === 0 ? { id: 1, missing: [] } : undefined));
    },
  );
  expect(asked).toEqual([5_000, 1_000]);
  expect(plan).toMatchObject({ here: 2, leftCount: 0 });
  if (typeof plan === "string") throw new Error(plan);
  const { count, names } = plan.listed.todos;
  expect([count + plan.later, names[0]]).toEqual([5_998, "Todo 2"]);
  expect(plan.parts.flatMap(({ keys }) => keys)).toHaveLength(count);
});

test("a file of too many parts is refused and leaves no memory behind", async () => {
  const before = process.memoryUsage.rss();
  expect(await read(kept(`${"{},".repeat(1_650_000)}{}`))).toContain("Split them");
  expect(process.memoryUsage.rss() - before).toBeLessThan(64 * 1024 * 1024);
  const keys = Array.from({ length: 350_000 }, (_, index) => `"k${index}":1`).join(",");
  expect(await read(`{${keys}}`)).toMatchObject({ leftCount: 1 });
});

test("a reader has 10 seconds of a processor", async () => {
  let limits = "";
  await read(kept(todo(1)), async (things) => {
    limits = await Bun.$`cat /proc/$(pgrep -P ${process.pid} -f apart/reader.ts)/limits`.text();
    return nothing(things);
  });
  expect(limits).toMatch(/^Max cpu time +10 +10 /m);
});

test("files wait for each other, also for one that fails", async () => {
  const failing = read(kept(todo(1)), () => Promise.reject(new Error("no database")));
  const next = read(kept(todo(1)));
  expect(failing).rejects.toThrow("no database");
  expect(await next).toMatchObject({ here: 0, listed: { todos: { count: 1, names: ["Todo 1"] } } });
});
