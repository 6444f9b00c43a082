import { expect, test } from "bun:test";
import { MikroORM } from "@mikro-orm/postgresql";
import fc from "fast-check";
import { dateOfDay, dayNumber } from "../../../shared/domain/day/day.ts";
import { sameDemand } from "../../../shared/domain/habit/rhythm.ts";
import { useStack } from "../../harness.ts";
import { type Command, type History, ordinaryLives, told } from "../../support/streak/streak-history.ts";
import {
  doneDays,
  emptyTimeline,
  passUntil,
  pauseFor,
  recompute,
  removeCompletion,
} from "../../support/streak/streak-spec.ts";

const { rest, clock, config } = await useStack({ travels: true });

/** A life without time-zone changes, which REST cannot make. Only its days count, so no zone takes part. */
const settledLives = ordinaryLives.map((history): History => {
  const end = history.commands.findIndex(({ kind }) => kind === "move");
  return { ...history, commands: history.commands.slice(0, end < 0 ? undefined : end) };
});

test("completions, undos, edits, pauses and skips through REST leave the rows that the full recomputation says", async () => {
  const orm = await MikroORM.init({
    clientUrl: config.databaseUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
  });
  const select = (sql: string, id: number) => orm.em.getConnection().execute(sql, [id]);
  try {
    await fc.assert(
      fc.asyncProperty(settledLives, async (history) => {
        const { id, timeline } = await live(history);
        const story = told(history);
        const habit =
          "select streak, longest_streak, streak_alive_through, completions_count from habits where id = ?";
        const { streak_count, longest_streak, alive_through } = recompute(timeline);
        const days = [...doneDays(timeline)].sort((one, other) => one - other);
        expect([story, await select(habit, id)]).toEqual([
          story,
          [
            {
              streak: streak_count,
              longest_streak,
              streak_alive_through: alive_through,
              completions_count: days.length,
            },
          ],
        ]);
        const completions = "select local_date from habit_completions where habit_id = ? order by local_date";
        expect(await select(completions, id)).toEqual(days.map((day) => ({ local_date: dateOfDay(day) })));
      }),
      // Through Prism a request takes many times as long, and one of each kind is enough.
      { numRuns: Bun.env.PRISM === "yes" ? 10 : 50, includeErrorInReport: true },
    );
  } finally {
    await orm.close(true);
    clock.now = undefined;
  }
});

/** Lives the history through REST and writes the timeline of it. */
async function live({ rules, start, commands }: History) {
  clock.now = Date.parse(`${start}T12:00:00Z`);
  const { id } = (await rest("POST", "/habits", { body: { name: "h", type: "good", ...rules } })).body;
  const timeline = emptyTimeline(rules, dayNumber(start));
  let inForce = rules;
  for (const command of commands) {
    if (command.kind === "move") continue;
    clock.now = Date.parse(`${command.today}T12:00:00Z`);
    passUntil(timeline, dayNumber(command.today));
    if (command.kind === "pause") {
      expect((await rest("PATCH", `/habits/${id}`, { body: command.to })).status).toBe(200);
      pauseFor(timeline, command.to);
      continue;
    }
    const day = dayNumber("date" in command ? command.date : command.today);
    if (command.kind === "skip" || command.kind === "unskip") {
      const { status } = await send(id, command);
      if (status === 200 && command.kind === "skip") timeline.free.skips.add(day);
      if (status === 200 && command.kind === "unskip") timeline.free.skips.delete(day);
      continue;
    }
    const done = doneDays(timeline).includes(day);
    const isSkipped = command.kind === "complete" && timeline.free.skips.has(day);
    expect((await send(id, command)).status).toBe(isSkipped ? 409 : statusOf(command, done));
    if (isSkipped) continue;
    if (command.kind === "complete" && !done) timeline.events.push({ on: day, what: "completed" });
    if (command.kind === "undo") removeCompletion(timeline, day);
    if (command.kind !== "edit") continue;
    if (!sameDemand(inForce, command.to)) timeline.events.push({ on: day, what: "edited", to: command.to });
    inForce = command.to;
  }
  return { id, timeline };
}

function send(id: number, command: Exclude<Command, { kind: "move" | "pause" }>) {
  if (command.kind === "edit") return rest("PATCH", `/habits/${id}`, { body: command.to });
  if (command.kind === "complete")
    return rest("POST", `/habits/${id}/complete`, { body: { date: command.date } });
  if (command.kind === "skip") return rest("POST", `/habits/${id}/skip`, { body: { date: command.date } });
  if (command.kind === "unskip") return rest("DELETE", `/habits/${id}/skip?date=${command.date}`);
  return rest("DELETE", `/habits/${id}/complete?date=${command.date}`);
}

function statusOf({ kind }: Command, done: boolean): number {
  if (kind === "complete") return done ? 409 : 200;
  return kind === "undo" && !done ? 409 : 200;
}
