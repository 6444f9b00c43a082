import { addDays } from "../../../shared/domain/day/day.ts";
import { callsOf } from "./plain.ts";
import type { Site } from "./support.ts";

const msPerDay = 86_400_000;

/** Some days in the life of a person with a token of all scopes: habits, todos and an agent's calls. */
export async function fillWithLife(site: Site, token: string, days: number): Promise<void> {
  const { rest } = callsOf(site.stack, token);
  const post = (path: string, body: object = {}) => rest("POST", path, body);
  const health = await post("/categories", { name: "Health", color: "#d9480f" });
  const home = await post("/categories", { name: "Home", color: "#1971c2" });
  const thrice = { frequency: "custom", schedule: { times_per_week: 3 }, time_of_day: "morning" };
  const run = await post("/habits", { name: "Morning run", type: "good", ...thrice, category_id: health.id });
  const evening = { frequency: "daily", time_of_day: "evening" };
  const read = await post("/habits", { name: "Read 20 pages", type: "good", ...evening });
  const scroll = await post("/habits", { name: "Scrolling in bed", type: "bad", ...evening });
  await post("/habits", { name: "Call the parents", type: "good", frequency: "weekly" });

  const now = Date.now();
  for (let ago = days - 1; ago >= 0; ago--) {
    site.stack.clock.now = now - ago * msPerDay;
    const isDone = {
      [run.id]: [0, 2, 4].includes(ago % 7),
      [read.id]: ago % 37 !== 9,
      [scroll.id]: ago % 5 > 1,
    };
    const done = [run, read, scroll].filter(
      ({ id }) => isDone[id] && (ago > 0 || id === run.id) && !isAway(ago),
    );
    await Promise.all(done.map(({ id }) => post(`/habits/${id}/complete`)));
  }
  site.stack.clock.now = undefined;
  const today = new Date(now).toISOString().slice(0, 10);
  await post("/todos", { title: "Renew the passport", due_date: addDays(today, -2) });
  const plants = { title: "Water the plants", time_of_day: "morning", estimated_minutes: 10 };
  await post("/todos", { ...plants, due_date: today, category_id: home.id });
  await post("/todos", {
    title: "Prepare the slides for Monday's review",
    due_date: addDays(today, 3),
    estimated_minutes: 90,
    context: "work",
  });
  await post("/todos", { title: "Find a piano teacher" });
  await letAgentWork(site, token, { habitId: read.id, dueDate: addDays(today, 1) });
}

/** Two weeks of holiday, in which no habit was kept. */
const isAway = (ago: number): boolean => ago >= 120 && ago < 134;

async function letAgentWork(
  site: Site,
  token: string,
  { habitId, dueDate }: { habitId: number; dueDate: string },
) {
  const { call } = callsOf(site.stack, token);
  await call("get-today-habits");
  await call("get-pending-todos", { overdue_only: true });
  const due = { due_date: dueDate, recurrence: "FREQ=WEEKLY;BYDAY=SA" };
  const { result } = await call("create-todo", { title: "Buy a birthday present", ...due });
  const { structuredContent } = result as { structuredContent: { todo: { id: number } } };
  const { id } = structuredContent.todo;
  await call("update-todo", { todo_id: id, due_date: addDays(dueDate, 7) });
  await call("delete-todo", { todo_id: 4_711 });
  await call("complete-habit", { habit_id: habitId });
  await call("complete-habit", { habit_id: habitId });
}
