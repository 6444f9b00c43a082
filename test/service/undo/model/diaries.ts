import { dayNumber } from "../../../../shared/domain/day/day.ts";
import { sameDemand } from "../../../../shared/domain/habit/rhythm.ts";
import type { Rules } from "../../../../shared/domain/habit/schedule.ts";
import { moveDay, view } from "../../../../shared/domain/habit/streak.ts";
import { type Deed, type Diary, jumpTo, passUntil, recompute } from "../../../support/streak/streak-spec.ts";
import { todayIn } from "./inputs.ts";
import type { Row } from "./memory.ts";
import { type Done, type End, endsOf, type History, keyOf, type Moment } from "./world.ts";

/** An action's change of a habit's history, so that it can be removed again. */
type Change =
  | Readonly<{ what: "completed" | "uncompleted"; habit: string; deed: Deed }>
  | Readonly<{ what: "edited"; habit: string; before: ReadonlySet<Deed>; day: number }>
  | Readonly<{ what: "removed" | "returned"; habit: string }>;

/** All that ever happened to a habit, and which of it counts at present. */
type Story = {
  diary: Diary;
  ever: Deed[];
  present: Set<Deed>;
  gone?: Moment["dayAfter"] | undefined;
  isUnclear: boolean;
};

/** Deeds of days that may be settled in a streak cannot always be taken out of it. */
const surelyOpenDays = 7;

/**
 * Writes every habit's diary only from the commands and the names of undone actions, not from computed values. The
 * streak is then counted anew.
 */
export function diariesOf(history: History): Map<string, Story> {
  const stories = new Map<string, Story>();
  const changes = new Map<string, Change>();
  for (const one of history) {
    const today = dayNumber(todayIn(one.dayBefore));
    for (const { diary, gone } of stories.values()) if (!gone) passUntil(diary, today);
    for (const done of one.done) tell(stories, changes, one, done);
    for (const action of takenBack(one)) takeBack(stories, changes, one, action);
    const next = dayNumber(todayIn(one.dayAfter));
    for (const { diary, gone } of stories.values()) if (!gone) jumpTo(diary, next);
    for (const [habit, story] of stories) if (!story.gone && !one.after.has(habit)) story.gone = one.dayAfter;
  }
  return stories;
}

function tell(stories: Map<string, Story>, changes: Map<string, Change>, one: Moment, done: Done): void {
  const { request, outcome, action } = done;
  if (!("body" in outcome) || !request.name.startsWith("habit.")) return;
  const day = dayNumber(todayIn(one.dayBefore));
  const body = outcome.body as Row | null;
  const habit = `habits/${body?.id ?? request.input.habit_id}`;
  const note = (change: Change) => action && changes.set(String(action.request_id), change);
  if (request.name === "habit.create" && body) {
    const diary: Diary = { rules: rulesOf(body), deeds: [], today: day, skipped: new Set() };
    stories.set(habit, { diary, ever: [], present: new Set(), isUnclear: false });
    note({ what: "returned", habit });
  }
  const story = stories.get(habit);
  if (!story) return;
  const on = typeof request.input.date === "string" ? dayNumber(request.input.date) : day;
  if (request.name === "habit.delete") note({ what: "removed", habit });
  if (request.name === "habit.complete")
    note({ what: "completed", habit, deed: add(story, { on, what: "completed" }) });
  if (request.name === "habit.undo") {
    const deed = [...story.present].find((other) => other.what === "completed" && other.on === on);
    if (!deed) throw new Error(`${habit} was not completed on ${on}`);
    story.present.delete(deed);
    note({ what: "uncompleted", habit, deed });
  }
  if (request.name === "habit.update" && body) {
    const before = editsIn(story);
    const old = rulesIn(story);
    if (sameDemand(old, rulesOf(body))) return;
    add(story, { on: day, what: "edited", to: rulesOf(body) });
    note({ what: "edited", habit, before, day });
  }
}

const rulesOf = ({ frequency, schedule, grace_days }: Row): Rules =>
  ({ frequency, schedule: schedule ?? null, grace_days }) as Rules;

const editsIn = ({ present }: Story): Set<Deed> =>
  new Set([...present].filter(({ what }) => what === "edited"));

function rulesIn({ diary, ever, present }: Story): Rules {
  const last = ever.findLast((deed) => deed.what === "edited" && present.has(deed));
  return last?.what === "edited" ? last.to : diary.rules;
}

function add({ ever, present }: Story, deed: Deed): Deed {
  ever.push(deed);
  present.add(deed);
  return deed;
}

type TakenBack = Readonly<{ action: string; by: string; end: End }>;

/** @returns the undone actions, in the order of their undo */
function takenBack(one: Moment): TakenBack[] {
  const ends = endsOf(one);
  return one.actions
    .filter(({ tool }) => tool === "action.undo")
    .sort((a, b) => (keyOf(a).called_at < keyOf(b).called_at ? -1 : 1))
    .flatMap((row) => {
      const { request_id } = JSON.parse(String(row.arguments));
      const end = ends.find((other) => other.request_id === request_id);
      return end ? [{ action: request_id, by: String(row.request_id), end }] : [];
    });
}

function takeBack(
  stories: Map<string, Story>,
  changes: Map<string, Change>,
  one: Moment,
  { action, by, end }: TakenBack,
): void {
  const change = changes.get(action);
  const story = change && stories.get(change.habit);
  if (!change || !story) return;
  const { habit } = change;
  const stays = (start: string) =>
    end.conflicts.some(
      ({ row, fields }) =>
        row?.startsWith(start) &&
        (change.what !== "edited" || fields.length === 0 || fields.includes("frequency")),
    );
  const day = dayNumber(todayIn(one.dayBefore));
  if (change.what === "returned" || change.what === "removed") {
    if (stays(habit) && change.what === "returned") return;
    if (change.what === "removed") comeBack(story, one);
    changes.set(by, { what: change.what === "returned" ? "removed" : "returned", habit });
    return;
  }
  if (stays(change.what === "edited" ? habit : `habit_completions/${habit.slice(7)}/`)) return;
  if (change.what === "edited") {
    changes.set(by, { what: "edited", habit, before: editsIn(story), day });
    const touched = [...editsIn(story)].filter((deed) => !change.before.has(deed));
    const oldest = Math.min(
      change.day,
      ...touched.map(({ on }) => on),
      ...[...change.before].filter((deed) => !story.present.has(deed)).map(({ on }) => on),
    );
    if (oldest < day - surelyOpenDays) story.isUnclear = true;
    for (const deed of touched) story.present.delete(deed);
    for (const deed of change.before) story.present.add(deed);
    return;
  }
  if (change.what !== "completed" && change.what !== "uncompleted") return;
  if (change.deed.on < day - surelyOpenDays) story.isUnclear = true;
  if (change.what === "completed") story.present.delete(change.deed);
  else story.present.add(change.deed);
  changes.set(by, { ...change, what: change.what === "completed" ? "uncompleted" : "completed" });
}

/** Effects of a zone change happen at this moment. */
function comeBack(story: Story, one: Moment): void {
  const { gone } = story;
  story.gone = undefined;
  if (!gone) return;
  passUntil(story.diary, dayNumber(todayIn({ ...gone, now: one.now })));
  jumpTo(story.diary, dayNumber(todayIn(one.dayBefore)));
}

/** @returns what is wrong with the streak of a habit */
export function streakFaults(history: History): string[] {
  const last = history.at(-1);
  if (!last) return [];
  const today = todayIn(last.dayAfter);
  return [...diariesOf(history)].flatMap(([habit, { diary, ever, present, isUnclear }]) => {
    const row = last.after.get(habit);
    if (!row) return [];
    const completions = [...last.after.keys()].filter((name) =>
      name.startsWith(`habit_completions/${habit.slice(7)}/`),
    );
    const faults =
      row.completions_count === completions.length
        ? []
        : [`${habit} has ${completions.length} completions, and counts ${row.completions_count}`];
    if (isUnclear) return faults;
    passUntil(diary, dayNumber(today));
    const deeds = ever.filter((deed) => present.has(deed));
    const rules = rulesOf(row);
    const state = moveDay(row.streak_state as never, rules, today, today);
    const { streak_count, longest_streak, alive_through } = view(state, rules);
    const [is, should] = [{ streak_count, longest_streak, alive_through }, recompute({ ...diary, deeds })];
    if (!Bun.deepEquals(is, should))
      faults.push(`${habit} is ${JSON.stringify(is)}, and should be ${JSON.stringify(should)}`);
    const stored = view(row.streak_state as never, rules);
    const columns = {
      streak_count: row.streak,
      longest_streak: row.longest_streak,
      alive_through: row.streak_alive_through,
      next_due: row.next_due,
      recent_dates: row.recent_dates,
    };
    if (!Bun.deepEquals(JSON.parse(JSON.stringify(stored)), JSON.parse(JSON.stringify(columns))))
      faults.push(`${habit} has other columns than its state: ${JSON.stringify([stored, columns])}`);
    const done = deeds.filter(({ what }) => what === "completed").length;
    if (done !== completions.length)
      faults.push(`${habit} has ${completions.length} completions instead of ${done}`);
    return faults;
  });
}
