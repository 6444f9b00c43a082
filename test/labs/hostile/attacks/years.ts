import { type Assault, ask } from "../attack.ts";
import { openPage, submit, upload } from "./pages.ts";

const habitsOfFile = 5;
const files = 8;
const days = 3_650;

/**
 * Imports decades of completions, lets an agent delete the habits, and undoes that: previews it, presses the
 * button, and repeats.
 */
export async function takeBackYears(world: Assault): Promise<void> {
  for (let file = 0; file < files && !world.isOver(); file++) await importYears(world, file);
  while (!world.isOver()) {
    await deleteHabits(world);
    await takeAllBack(world);
    await Bun.sleep(1_000);
  }
}

async function importYears(world: Assault, file: number): Promise<void> {
  const ids = Array.from({ length: habitsOfFile }, (_, index) => 1_000_000 + file * habitsOfFile + index);
  const habits = ids.map((id) => ({
    id,
    name: `Years ${id}`,
    type: "good",
    frequency: "daily",
    grace_days: 1,
  }));
  const dates = Array.from({ length: days }, (_, day) =>
    new Date(Date.now() - (day + 1) * 86_400_000).toISOString().slice(0, 10),
  );
  const completions = ids.flatMap((habit_id) => dates.map((date) => ({ habit_id, date })));
  await upload(world, JSON.stringify({ format: "kept-export", version: 1, habits, completions }));
}

async function deleteHabits(world: Assault): Promise<void> {
  const { baseUrl } = world.site;
  const { headers } = world.account;
  const list = (await ask(world, `${baseUrl}/api/v1/habits`, { headers })) ?? "";
  const ids = [...list.matchAll(/"id":(\d+),"name":"Years/g)].map(([, id]) => id);
  const operations = ids.map((id) => ({ method: "DELETE", path: `/habits/${id}` }));
  if (operations.length === 0) return;
  const body = JSON.stringify({ operations });
  await ask(world, `${baseUrl}/api/v1/batch`, { method: "POST", headers, body });
}

async function takeAllBack(world: Assault): Promise<void> {
  const actions = await openPage(world, "/account/actions");
  const token = /token_id=([^"&]+)/.exec(actions?.text ?? "")?.[1];
  const page = token && (await openPage(world, `/account/actions/run?token_id=${token}`));
  if (page) await submit(world, page, "/account/actions/run", {});
}
