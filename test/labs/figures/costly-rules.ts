import { toolCallText } from "../../support/raw.ts";
import { sample } from "./samples.ts";
import type { Stage } from "./stage.ts";

const days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const numbered = (most: number): string =>
  Array.from({ length: most }, (_, n) => days.flatMap((day) => [`${n + 1}${day}`, `-${n + 1}${day}`]))
    .flat()
    .join(",");
const monthDays = Array.from({ length: 31 }, (_, n) => n + 1).join(",");

/** The costliest known rules, and similar ones; a refused rule costs nothing. */
const candidates = [
  { recurrence: "FREQ=DAILY" },
  { recurrence: "FREQ=DAILY;COUNT=1000", due_date: "0001-01-01" },
  { recurrence: "FREQ=DAILY;COUNT=1000", due_date: "2024-03-01" },
  { recurrence: "FREQ=DAILY", due_date: "0001-01-01" },
  { recurrence: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;COUNT=1000", due_date: "2024-03-01" },
  { recurrence: `FREQ=MONTHLY;BYMONTHDAY=${monthDays}`, due_date: "0001-01-01" },
  { recurrence: `FREQ=MONTHLY;INTERVAL=12;BYDAY=${numbered(5)};BYMONTHDAY=31` },
  { recurrence: `FREQ=MONTHLY;INTERVAL=1000;BYDAY=${numbered(5)};BYMONTHDAY=31` },
  { recurrence: "FREQ=MONTHLY;INTERVAL=999;BYDAY=5FR;BYMONTHDAY=29" },
  { recurrence: "FREQ=YEARLY;INTERVAL=1000;BYMONTHDAY=29,30,31", due_date: "2026-02-28" },
  {
    recurrence: `FREQ=YEARLY;INTERVAL=999;BYDAY=${numbered(40)
      .slice(0, 400)
      .replace(/,[^,]*$/, "")}`,
  },
  { recurrence: "FREQ=YEARLY;BYDAY=-52MO;COUNT=1000", due_date: "1024-01-01" },
  { recurrence: `FREQ=DAILY;INTERVAL=999;BYDAY=MO;BYMONTHDAY=31` },
  { recurrence: "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", due_date: "2026-03-01" },
  { recurrence: "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYSETPOS=5" },
];

const user = "mallory";

/** Creations and completions with the costliest accepted rule, by 50 tokens of one account. */
export async function costlyRequests(stage: Stage): Promise<{
  rule: string;
  ms: number;
  sequences: string[][];
}> {
  const costs = [];
  for (const todo of candidates) costs.push({ todo, ms: await costOf(stage, todo) });
  const { todo, ms } = costs.reduce((one, other) => (other.ms > one.ms ? other : one));
  const sequences: string[][] = [];
  for (let n = 0; n < 50; n++) {
    const token = await stage.issuer.token({ sub: user });
    const { body } = await stage.call(user, "POST", "/todos", { body: { title: "Costly", ...todo } });
    const create = toolCallText(token, "create-todo", { title: "Costly", ...todo });
    const toggle = toolCallText(token, "toggle-todo", { todo_id: body.id });
    sequences.push([create, toggle]);
  }
  return { rule: `${todo.recurrence.slice(0, 40)}…`, ms, sequences };
}

/** The median time of creating and completing this todo; 0 if it is refused. */
async function costOf({ call }: Stage, todo: object): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const start = performance.now();
    const { status, body } = await call(user, "POST", "/todos", { body: { title: "Costly", ...todo } });
    if (status !== 201) return 0;
    const toggled = await sample(() => call(user, "POST", `/todos/${body.id}/toggle`));
    times.push(toggled.startedAt + toggled.ms - start);
  }
  return times.toSorted((one, other) => one - other)[2] ?? 0;
}
