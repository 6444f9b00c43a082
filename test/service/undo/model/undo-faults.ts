import { undoDays } from "../../../../shared/contracts/action/contracts.ts";
import { dateOfDay } from "../../../../shared/domain/day/day.ts";
import type { HabitHistory } from "../../../../shared/domain/habit/history.ts";
import { doneDays } from "../../../../shared/domain/habit/history.ts";
import type { UndoPlan } from "./acts.ts";
import { conflictFaults } from "./conflicts.ts";
import type { Row } from "./inputs.ts";
import { restoredFaults } from "./restored.ts";
import { cascaded, differing } from "./touched.ts";
import {
  type ActionKey,
  type End,
  type History,
  isChange,
  keyOf,
  type Moment,
  pass,
  type Rows,
  type System,
  undo,
} from "./world.ts";

/** An agent's changes from some moment on, newest first. */
export type Run = Readonly<{ since: number; moments: ReadonlySet<Moment>; actions: readonly ActionKey[] }>;

/**
 * Undoes the last changes of an agent in every way.
 * @returns the faults of the outcome
 */
export async function undoFaults(system: System, history: History, plan: UndoPlan): Promise<string[]> {
  await pass(system, history, plan.minutes);
  const run = await runOf(system, history, plan);
  if (run.actions.length === 0) return [];
  const before = await system.rows();
  const faults = dayFaults(before).map((fault) => `before the undo: ${fault}`);
  const world = { system, history, faults };
  const ends = await inChunks(world, run.actions, plan);
  const after = await system.rows();
  faults.push(...restoredFaults({ history, run, before, after, ends }));
  faults.push(...conflictFaults({ history, run, before, after, ends }), ...dayFaults(after));
  if (faults.length > 0) return faults;
  const undos = await undosSince(system, history);
  await inChunks(world, undos, plan);
  faults.push(...differences("the undo undone", before, await system.rows()));
  if (faults.length > 0) return faults;
  await inChunks(world, run.actions, { ...plan, preview: false });
  return [...faults, ...differences("the undo again", after, await system.rows())];
}

/** @returns the habits whose row has other days than the table of completions */
const dayFaults = (rows: Rows): string[] =>
  [...rows].flatMap(([name, row]) => {
    if (!name.startsWith("habits/")) return [];
    const days = cascaded(rows, name)
      .map((one) => String(rows.get(one)?.local_date))
      .sort();
    const own = doneDays(row as unknown as HabitHistory)
      .map(dateOfDay)
      .sort();
    const isSame = Bun.deepEquals(days, own) && row.completions_count === days.length;
    return isSame ? [] : [`${name} counts ${row.completions_count}, has ${own}, and completions on ${days}`];
  });

/** An action can be undone so long (ms), less the time that the undos of a run take. */
const undoableMs = undoDays * 86_400_000 - 60_000;

async function runOf(system: System, history: History, { who, count }: UndoPlan): Promise<Run> {
  const standing = new Set(
    (await system.log()).flatMap((row) => (isChange(row) && row.undone_by == null ? [row.request_id] : [])),
  );
  const changed = history.filter(
    (one) =>
      one.who === who &&
      one.now > system.clock.now - undoableMs &&
      one.actions.some((row) => standing.has(row.request_id)),
  );
  const moments = new Set(changed.slice(-count));
  const [first] = moments;
  const actions = [...moments].flatMap((one) => one.actions.filter((row) => standing.has(row.request_id)));
  const since = first ? history.indexOf(first) : history.length;
  return { since, moments, actions: actions.map(keyOf).sort(newestFirst) };
}

const newestFirst = (one: ActionKey, other: ActionKey): number =>
  `${one.called_at} ${one.request_id}` < `${other.called_at} ${other.request_id}` ? 1 : -1;

type World = Readonly<{ system: System; history: History; faults: string[] }>;

/** Undoes actions as the plan says, and adds what is wrong to the faults. */
async function inChunks(world: World, actions: readonly ActionKey[], plan: UndoPlan): Promise<End[]> {
  const { system, history, faults } = world;
  const { chunks, preview, twice } = plan;
  const ends: End[] = [];
  for (let first = 0, n = 0; first < actions.length; n++) {
    const size = chunks[n % chunks.length] ?? 1;
    const chunk = actions.slice(first, first + size);
    first += size;
    const before = await system.rows();
    const expected = preview ? await undo(system, history, chunk, true) : undefined;
    if (preview) faults.push(...differences("a preview", before, await system.rows()));
    const got = await undo(system, history, chunk);
    if (expected && !Bun.deepEquals(expected, got))
      faults.push(`preview ${JSON.stringify(expected)} but ${JSON.stringify(got)}`);
    ends.push(...got);
    if (twice) faults.push(...(await again(world, chunk, got)));
  }
  return ends;
}

/** An undone action is not undone twice. */
async function again({ system, history }: World, chunk: readonly ActionKey[], first: readonly End[]) {
  const before = await system.rows();
  const ends = await undo(system, history, chunk);
  const undone = first.flatMap(({ undone, request_id }) => (undone === "none" ? [] : [request_id]));
  const wrong = ends.filter(
    ({ request_id, conflicts }) => undone.includes(request_id) && conflicts[0]?.why !== "taken_back",
  );
  const hadNone = undone.length === first.length;
  return [
    ...wrong.map((end) => `taken back twice: ${JSON.stringify(end)}`),
    ...(hadNone ? differences("a second undo", before, await system.rows()) : []),
  ];
}

async function undosSince(system: System, history: History): Promise<ActionKey[]> {
  const last = history.findLastIndex(({ who }) => who === "clock");
  const own = new Set(
    history.slice(last).flatMap(({ actions }) => actions.map(({ request_id }) => request_id)),
  );
  return (await system.log())
    .filter((row) => own.has(row.request_id) && isChange(row) && row.undone_by == null)
    .map(keyOf)
    .sort(newestFirst);
}

function differences(what: string, one: Rows, other: Rows): string[] {
  const names = new Set([...one.keys(), ...other.keys()]);
  return [...names].flatMap((name) => {
    const [a, b] = [one.get(name), other.get(name)];
    if (a === b) return [];
    if (!a || !b) return [`${what}: ${name} is ${a ? "gone" : "there"}`];
    // Nothing rings while the days of a life pass, so a restored reminder may have been missed.
    const isMissed = name.startsWith("reminders") && [a.status, b.status].includes("missed");
    const columns = differing(a, b, true).filter(
      (column) => !(isMissed && ["status", "delivery_id"].includes(column)),
    );
    const told = (row: Row, column: string) => JSON.stringify(row[column]);
    return columns.map((column) => `${what}: ${name}.${column} ${told(a, column)} → ${told(b, column)}`);
  });
}
