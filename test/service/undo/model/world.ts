import type { Static } from "typebox";
import type { UndoEnd } from "../../../../shared/contracts/action/contracts.ts";
import type { CommandName } from "../../../../shared/contracts/catalogue.ts";
import { timestamp } from "../../../../shared/domain/day/day.ts";
import type { Outcome } from "../../../../shared/queue/batch.ts";
import type { Act, Life, Step, Who } from "./acts.ts";
import { type Request, type Row, requestOf, type Scene } from "./inputs.ts";

export type Rows = ReadonlyMap<string, Row>;
export type ActionKey = Readonly<{ called_at: string; request_id: string }>;
export type End = Static<typeof UndoEnd>;

/** The service as one person has it. */
export type System = Readonly<{
  clock: { now: number };
  rows(): Promise<Rows>;
  log(): Promise<readonly Row[]>;
  user(): Promise<Row | undefined>;
  send(who: Who, request: Request): Promise<Outcome>;
  sendGroup(requests: readonly Request[], atomic: boolean): Promise<readonly Outcome[]>;
}>;

/** Reads everything once between two changes, because nothing else changes it. */
export function reading(system: System): System {
  let known: { rows?: Promise<Rows>; log?: Promise<readonly Row[]>; user?: Promise<Row | undefined> } = {};
  const forget = () => {
    known = {};
  };
  return {
    clock: system.clock,
    rows: () => (known.rows ??= system.rows()),
    log: () => (known.log ??= system.log()),
    user: () => (known.user ??= system.user()),
    send: (who, request) => system.send(who, request).finally(forget),
    sendGroup: (requests, atomic) => system.sendGroup(requests, atomic).finally(forget),
  };
}

/** One finished act. */
export type Done = Readonly<{ request: Request; outcome: Outcome; action: Row | undefined }>;

/** One moment: all rows before and after it, and its rows in the log. */
export type Moment = Readonly<{
  who: Who | "clock";
  now: number;
  dayBefore: Scene;
  dayAfter: Scene;
  before: Rows;
  after: Rows;
  done: readonly Done[];
  actions: readonly Row[];
}>;

export type History = Moment[];

/** Lives a life and records it in `history`. */
export async function live(
  system: System,
  history: History,
  { start, zone, steps }: Pick<Life, "start" | "zone" | "steps">,
): Promise<void> {
  system.clock.now = Math.max(system.clock.now, Date.parse(start));
  const act = { do: "user.configure", fields: { time_zone: zone } } as const;
  history.push(await take(system, { who: "page", minutes: 0, act }));
  for (const step of [...beginnings, ...steps]) {
    await pass(system, history, step.minutes);
    history.push(await take(system, step));
  }
}

/** These steps make rows to change. */
const habit = { name: "h", type: "good", frequency: "daily" };
const beginnings: readonly Step[] = [
  { who: "page", minutes: 0, act: { do: "category.create", fields: { name: "k" } } },
  { who: "mcp", minutes: 0, act: { do: "habit.create", fields: habit } },
  { who: "rest", minutes: 0, act: { do: "todo.create", fields: { title: "t" } } },
];

export async function pass(system: System, history: History, minutes: number): Promise<void> {
  system.clock.now += minutes * 60_000 + 5;
  const scene = await sceneOf(system);
  const passed = { who: "clock", now: system.clock.now, done: [], actions: [] } as const;
  const days = { dayBefore: scene, dayAfter: scene };
  history.push({ ...passed, ...days, before: scene.rows, after: scene.rows });
}

async function sceneOf({ rows, user, clock }: System): Promise<Scene> {
  const settings = await user();
  return {
    rows: await rows(),
    now: clock.now,
    timeZone: String(settings?.time_zone ?? "Europe/Berlin"),
    dayStartHour: Number(settings?.day_start_hour ?? 0),
  };
}

async function take(system: System, step: Step): Promise<Moment> {
  const scene = await sceneOf(system);
  const log = await system.log();
  if ("act" in step && step.act.do === "action.undo")
    return moment(system, scene, log, "page", [await undoRequest(log, step.act)]);
  const acts = "act" in step ? [step.act] : step.group;
  const requests = acts.map((act) => requestOf(scene, step.who, act));
  return moment(system, scene, log, step.who, requests, "act" in step ? undefined : step.atomic);
}

/** A person undoes some actions of anybody, undos included. */
function undoRequest(log: readonly Row[], { which, count }: Extract<Act, { do: "action.undo" }>): Request {
  const changes = log.filter(isChange);
  const first = which % Math.max(changes.length, 1);
  const actions = changes.slice(first, first + count).map(keyOf);
  return { name: "action.undo", input: { actions: actions.length > 0 ? actions : [nobodys] } };
}

const nobodys: ActionKey = {
  called_at: "2026-01-01T00:00:00.000000Z",
  request_id: "00000000-0000-7000-8000-000000000000",
};

export const isChange = ({ before, after }: Row): boolean => before != null || after != null;
export const keyOf = ({ called_at, request_id }: Row): ActionKey => ({
  called_at: timestamp(String(called_at)),
  request_id: String(request_id),
});

async function moment(
  system: System,
  scene: Scene,
  log: readonly Row[],
  who: Who,
  requests: readonly Request[],
  atomic?: boolean,
): Promise<Moment> {
  const outcomes =
    atomic === undefined
      ? [await system.send(who, requests[0] as Request)]
      : await system.sendGroup(requests, atomic);
  const known = new Set(log.map(({ request_id }) => request_id));
  const actions = (await system.log()).filter(({ request_id }) => !known.has(request_id));
  const after = await sceneOf(system);
  const own = actions.toSorted((a, b) => (keyOf(a).called_at < keyOf(b).called_at ? -1 : 1));
  const done = requests.map((request, index): Done => {
    const outcome = outcomes[index] as Outcome;
    const isLogged = "body" in outcome && request.name !== "action.undo";
    const at = own.findIndex(({ tool, outcome: end }) => isLogged && end === "ok" && tool === request.name);
    return { request, outcome, action: at === -1 ? undefined : own.splice(at, 1)[0] };
  });
  const days = { now: scene.now, dayBefore: scene, dayAfter: after };
  return { who, ...days, before: scene.rows, after: after.rows, done, actions };
}

export async function undo(
  system: System,
  history: History,
  actions: readonly ActionKey[],
  preview = false,
): Promise<readonly End[]> {
  system.clock.now += 5;
  const scene = await sceneOf(system);
  const one = await moment(system, scene, await system.log(), "page", [
    { name: "action.undo" as CommandName, input: { actions }, preview },
  ]);
  history.push(one);
  return endsOf(one);
}

export function endsOf({ done: [first] }: Moment): readonly End[] {
  if (first?.request.name !== "action.undo") return [];
  if (!("body" in first.outcome)) throw new Error(`refused: ${first.outcome.refusal.message}`);
  return (first.outcome.body as { ends: End[] }).ends;
}
