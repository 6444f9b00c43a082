import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { Check } from "typebox/value";
import type { LoggedAction } from "../../../../shared/contracts/action/contracts.ts";
import { commands } from "../../../../shared/contracts/catalogue.ts";
import { categoryFields } from "../../../../shared/contracts/category/fields.ts";
import { habitFields } from "../../../../shared/contracts/habit/fields.ts";
import {
  type DeclaredFields,
  type Field,
  schemasOf,
} from "../../../../shared/contracts/kernel/declared-fields.ts";
import { previewOfTool } from "../../../../shared/contracts/kernel/preview.ts";
import { isCalendarDate } from "../../../../shared/contracts/kernel/text.ts";
import { todoFields } from "../../../../shared/contracts/todo/fields.ts";
import {
  countField,
  type Image,
  isSame,
  type SeenTable,
} from "../../../../shared/domain/action/image-fields.ts";
import { readImages, skippedField } from "../../../../shared/domain/action/images.ts";
import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { type ResourceKind, resourceKinds, tableOf } from "../../../../shared/domain/vocabulary.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { argument, type Fields } from "../../../http/input.ts";
import {
  argumentsOf,
  type ChangedThing,
  changedThings,
  type Names,
  namesThen,
  parseRow,
  resourceRead,
  rowOf,
  type ThingRow,
  thingsOf,
} from "../../../queries/action/things.ts";
import { sayRepeat } from "../../../queries/quick-add/say-repeat.ts";
import { asDeclared } from "../../mcp/arguments.ts";
import { resources } from "../../mcp/resource.ts";
import { tools } from "../../mcp/tools/index.ts";
import { capitalized, countInWords, rhythmInWords } from "../kit/words.ts";
import { listed, localTimeOf, type Word } from "./words.ts";

/** Names of things and the user's zone, for the sentences of an action. */
export type Known = Readonly<{ names: Names; timeZone: string }>;

/** The name of a field with and without a value, its columns, and its value in words; undefined for no value. */
type FieldWords = Readonly<{
  label: string;
  noun: string;
  columns: readonly string[];
  say(image: Image, known: Known): Word | undefined;
  untold?: unknown;
}>;

const { frequency, schedule } = schemasOf(habitFields, "shown");
const rulesCheck = Compile(Type.Object({ frequency, schedule }));

/** Fields that say more than their own column, or say it in other words than those of their kind. */
const special: Readonly<Record<string, Partial<FieldWords>>> = {
  category_id: {
    say({ category_id: id }, { names }) {
      const name = names.get(rowOf("category", id));
      if (name !== undefined) return { quoted: name };
      return typeof id === "number" ? `number ${id}` : undefined;
    },
  },
  // If the frequency was and stays `custom`, an image of changed columns has only the schedule.
  frequency: {
    columns: ["frequency", "schedule"],
    say({ frequency = "custom", schedule = null }) {
      const rules = { frequency, schedule };
      return rulesCheck.Check(rules) ? rhythmInWords(rhythmOf({ ...rules, grace_days: 0 })) : undefined;
    },
  },
  recurrence: {
    say({ recurrence: rule }) {
      if (typeof rule !== "string") return undefined;
      const words = sayRepeat(rule);
      return words === rule ? { quoted: rule } : words;
    },
  },
};

/** A wall time, or an instant that no journey moves. */
const reminder: FieldWords = {
  ...{ label: "reminder", noun: "reminder", columns: ["remind_at", "wall_time"] },
  say({ remind_at, wall_time }, { timeZone }) {
    const instant = remind_at == null ? undefined : localTimeOf({ called_at: String(remind_at) }, timeZone);
    const text = wall_time ?? instant;
    if (text === undefined) return undefined;
    const isTime =
      /^.{10}T\d\d:\d\d(:\d\d)?$/.test(String(text)) && isCalendarDate(String(text).slice(0, 10));
    return isTime ? { wallTime: String(text) } : { quoted: text };
  },
};

/** A caller's text is quoted; a word of Kept's own is not. */
function sayValue({ kind, unit, value: { enum: words } }: Field, value: unknown): Word | undefined {
  if (value == null) return undefined;
  if (kind === "number" && typeof value === "number") return unit ? `${value} ${unit}` : String(value);
  if (kind === "flag") return value === true ? "yes" : "no";
  if (kind === "date") return dateInWords(value);
  if (kind === "time" && /^\d\d:\d\d$/.test(String(value))) return String(value);
  return words?.find((word) => word === value) ?? { quoted: value };
}

const dateInWords = (date: unknown): Word =>
  typeof date === "string" && isCalendarDate(date) ? { date } : { quoted: date };

function wordsOf([name, field]: [string, Field]): readonly FieldWords[] {
  const label = field.inLog ?? field.label?.toLowerCase();
  if (label === undefined) return [];
  const say = (image: Image) => sayValue(field, image[name]);
  return [{ label, noun: field.noun ?? label, columns: [name], untold: field.untold, say, ...special[name] }];
}

const isLong = ([, { kind }]: [string, Field]): number => Number(kind === "paragraph");
const inOrder = (fields: DeclaredFields): readonly FieldWords[] =>
  Object.entries(fields)
    .toSorted((one, other) => isLong(one) - isLong(other))
    .flatMap(wordsOf);

/** The fields that the log tells of each table's rows. */
export const toldFields: Readonly<Record<SeenTable, readonly FieldWords[]>> = {
  todos: inOrder(todoFields),
  habits: inOrder(habitFields),
  categories: inOrder(categoryFields),
  reminders: [reminder],
  habit_completions: [],
  habit_amounts: [
    {
      ...{ label: "amount", noun: "amount", columns: ["amount"] },
      say: ({ amount }) => (typeof amount === "number" ? String(amount) : undefined),
    },
  ],
};

/** The fields of a new or removed row, such as `due Fri 20 Nov`. */
const factsOf = ({ table, before, after }: ThingRow, known: Known): readonly Word[][] =>
  toldFields[table].flatMap(({ label, columns, say, untold }) => {
    const image = after ?? before ?? {};
    const isTold = columns.some((column) => image[column] != null && image[column] !== untold);
    const value = isTold && !["title", "name"].includes(label) ? say(image, known) : undefined;
    return value === undefined ? [] : [[`${label} `, value]];
  });

/** The fields that changed, such as `due Fri 20 Nov → Mon 23 Nov`. */
export const changesIn = (
  { table, before = {}, after = {} }: Pick<ThingRow, "table" | "before" | "after">,
  known: Known,
): readonly Word[][] =>
  toldFields[table].flatMap(({ label, columns, say }) => {
    if (!columns.some((column) => Object.hasOwn(before, column) || Object.hasOwn(after, column))) return [];
    const [old, made] = [say(before, known) ?? "none", say(after, known) ?? "none"];
    return isSame(old, made) ? [] : [[`${label} `, old, " → ", made]];
  });

/** The verbs of a command (by its name or second half) or of a change: done, tried, and done by an undo. */
const verbs: ReadonlyMap<string, readonly [done: string, tried: string, byUndo?: string]> = new Map([
  ["create", ["Created", "create", "Brought back"]],
  ["update", ["Changed", "change", "Changed back"]],
  ["delete", ["Deleted", "delete", "Removed"]],
  ["complete", ["Completed", "complete"]],
  ["habit.undo", ["Took back the completion of", "take back the completion of"]],
  ["add", ["Added to", "add to"]],
  ["take", ["Took from", "take from"]],
  ["skip", ["Skipped", "skip"]],
  ["unskip", ["Took back the skip of", "take back the skip of"]],
  ["tick", ["Ticked off", "tick off"]],
  ["reopen", ["Reopened", "reopen"]],
  ["toggle", ["Ticked off or reopened", "tick off or reopen"]],
  ["rename", ["Renamed", "rename"]],
  ["set", ["Set the reminder of", "set the reminder of"]],
  ["act", ["Answered the reminder of", "answer the reminder of"]],
  ["clear", ["Cleared the reminder of", "clear the reminder of"]],
  ["action.undo", ["Took back", "take back"]],
  ["webhook.send-again", ["Sent again a delivery of", "send again a delivery of"]],
]);

function verbAs(key: string, { tool, outcome }: LoggedAction): string {
  const [done, tried, byUndo = done] = verbs.get(key) ?? ["Changed", "change"];
  if (outcome === "waiting") return capitalized(tried);
  return tool === "action.undo" ? byUndo : done;
}

/** The act on a thing, and the days of a habit that it concerns. */
function actOn({ before, after, rows }: ChangedThing): readonly [verb: string, dates: readonly string[]] {
  if (!before || !after) return [before ? "delete" : "create", []];
  const done = rows.filter(({ table }) => table === "habit_completions");
  const [unskipped, skipped] = [before, after].map(({ [skippedField]: dates }): readonly string[] =>
    Array.isArray(dates) ? dates : [],
  );
  const days = [...rows.flatMap(({ date }) => date || []), ...(unskipped ?? []), ...(skipped ?? [])];
  const dates = [...new Set(days)].toSorted();
  if (done.some((row) => !row.before)) return ["complete", dates];
  if (done.some((row) => !row.after)) return ["habit.undo", dates];
  if (skipped?.length) return ["skip", dates];
  if (unskipped?.length) return ["unskip", dates];
  if (typeof after.is_completed === "boolean") return [after.is_completed ? "tick" : "reopen", []];
  const counted = rows.find(({ table }) => table === "habit_amounts");
  if (!counted) return ["update", dates];
  return [Number(counted.after?.amount ?? 0) > Number(counted.before?.amount ?? 0) ? "add" : "take", dates];
}

/** The words for a change of one thing: verb and name for a summary, and the whole sentence. */
type Change = Readonly<{ verb: string; kind: ResourceKind; object: Word; sentence: readonly Word[] }>;

function changesInWords(action: LoggedAction, known: Known): readonly Change[] {
  const things = changedThings(action);
  const successors = things.map((one) => successorOf(one, things));
  return things.flatMap((one, index): Change[] => {
    if (successors.includes(one)) return [];
    const { thing, kind, before, after, rows } = one;
    const [act, dates] = actOn(one);
    const verb = verbAs(act, action);
    const object = objectOf(thing, known);
    const isChange = before && after;
    const facts = isChange
      ? rows.flatMap((row) => changesIn(row, known))
      : rows.flatMap((row) => (row.date === "" ? factsOf(row, known) : []));
    const parts = facts.flatMap((fact, place) => [place === 0 ? ": " : isChange ? "; " : ", ", ...fact]);
    const count = (after ?? before)?.[countField];
    const history =
      isChange || typeof count !== "number" || count < 1 ? "" : ` with ${countInWords(count, "completion")}`;
    const days = dates.length > 0 ? [" for ", ...listed(dates.map((date) => [dateInWords(date)]))] : [];
    const next = nextInWords(successors[index]);
    return [
      { verb, kind, object, sentence: [`${verb} the ${kind} `, object, history, ...days, ...parts, ...next] },
    ];
  });
}

function objectOf(thing: string, { names }: Known): Word {
  const name = names.get(thing);
  return name === undefined ? (thing.split("/")[1] ?? "") : { name, thing };
}

/** The successor that a completion made, or that a reopening removed. */
function successorOf({ before, after }: ChangedThing, things: readonly ChangedThing[]) {
  const id = before && after && (after.next_todo_id ?? before.next_todo_id);
  return things.find((next) => next.thing === `todos/${id}` && !(next.before && next.after));
}

function nextInWords(next: ChangedThing | undefined): readonly Word[] {
  if (!next) return [];
  const { due_date } = next.after ?? next.before ?? {};
  const on = due_date == null ? [] : [" on ", dateInWords(due_date)];
  return next.after ? ["; it comes again", ...on] : ["; the next one", ...on, " is gone again"];
}

/** Several changes as one sentence: `Created 3 todos: “a”, “b” and “c”`. */
function summaryOf(changes: readonly Change[]): readonly Word[] {
  const [only, ...others] = changes;
  if (only && others.length === 0) return only.sentence;
  const groups = Map.groupBy(changes, ({ verb, kind }) => `${verb} ${kind}`).values();
  return [...groups].flatMap((alike, index): readonly Word[] => {
    const [{ verb, kind } = { verb: "", kind: "todo" as const }] = alike;
    const lead = index === 0 ? verb : `; ${verb.toLowerCase()}`;
    return [`${lead} ${countInWords(alike.length, kind)}: `, ...listed(alike.map(({ object }) => [object]))];
  });
}

/** The command behind a tool, or the one that scripts and pages name directly; undefined for other names. */
function commandOf(name: string, args: Fields): string | undefined {
  const tool = tools.find((one) => one.name === name && one.looksAt === undefined);
  if (!tool) return Object.hasOwn(commands, name) ? name : undefined;
  const { properties } = tool.arguments;
  const given = Object.entries(asDeclared(tool.arguments, args));
  const ofOne = Object.fromEntries(given.filter(([one]) => Object.hasOwn(properties, one)));
  const isRight = Check(Type.Partial(Type.Object(properties)), ofOne);
  const acts = isRight ? [tool.act(ofOne)].flat() : [];
  const [verb, noun] = name.split("-");
  return acts.flatMap((act) => (isRefused(act) ? [] : act.contract.name))[0] ?? `${noun}.${verb}`;
}

const reads: ReadonlyMap<string, string> = new Map(
  tools.map(({ name, looksAt }) =>
    looksAt === undefined ? [previewOfTool(name), "the preview of a change"] : [name, looksAt],
  ),
);

/** The object of a tool that only reads; undefined for any other. */
export const readOf = (tool: string): string | undefined => reads.get(tool);

/** A call that changed nothing: a read, a refusal, or a command that found everything so already. */
function callInWords(action: LoggedAction, known: Known): readonly Word[] {
  const { tool, outcome } = action;
  const args = argumentsOf(action);
  const command = commandOf(tool, args);
  const looked = lookedAt(tool, args, known);
  const unknown: readonly Word[] = ["what Kept does not have, ", { quoted: argument(args, "uri") ?? tool }];
  const object = command === undefined ? (looked ?? unknown) : namedIn(command, args, known);
  const usual = looked ? (["Looked at", "look at"] as const) : (["Called", "call"] as const);
  const [done, tried] = verbs.get(command ?? "") ?? verbs.get(command?.split(".")[1] ?? "") ?? usual;
  const attempt = outcome === "waiting" ? "Asked to" : "Tried to";
  return [outcome === "ok" ? done : `${attempt} ${tried}`, " ", ...object, traceOf(action)];
}

/** The object of a read, with the thing in a resource's address; undefined for anything else. */
function lookedAt(tool: string, args: Fields, known: Known): readonly Word[] | undefined {
  const read = resources.find((one) => tool === resourceRead && one.inputAt(argument(args, "uri")));
  const object = read?.looksAt ?? readOf(tool);
  if (object === undefined) return undefined;
  return [object, ...(read ? thingsOf(args).flatMap((thing) => [" ", objectOf(thing, known)]) : [])];
}

/** The things that a command names: one, or a number of them. */
function namedIn(command: string, args: Fields, known: Known): readonly Word[] {
  const [noun] = command.split(".");
  if (noun === "action" || noun === "webhook") return [noun === "action" ? "an action" : "a webhook"];
  const kind = resourceKinds.find((one) => one === noun) ?? "todo";
  const several = argument(args, `${kind}s`) ?? argument(args, `${kind}_ids`);
  if (Array.isArray(several)) return [countInWords(several.length, kind)];
  if (several !== undefined) return [`several ${kind}s`];
  const thing = thingsOf(args).find((one) => one.startsWith(tableOf[kind]));
  const quoted = argument(args, "name") ?? argument(args, "title") ?? argument(args, kind);
  return [`the ${kind} `, thing === undefined ? { quoted } : objectOf(thing, known)];
}

/** The reason why a change has no images: everything was so already, or the named thing was forgotten since. */
function traceOf({ outcome, replayed, resource_kind, resource_name, before, after }: LoggedAction): string {
  const isChange = outcome === "ok" && !replayed && resource_kind !== null;
  if (!isChange || before !== null || after !== null) return "";
  return resource_name === null ? " (forgotten since)" : "; nothing changed";
}

/** An import makes too many things for its row, which has the names of all. */
function importInWords({ after }: LoggedAction): readonly Word[] {
  const { images, cut } = readImages(after);
  const rows = [...Object.keys(images), ...(cut?.others ?? [])].flatMap((name) => parseRow(name) ?? []);
  const things = Map.groupBy(new Map(rows.map((row) => [row.thing, row.kind])).values(), (kind) => kind);
  const counts = [...things].map(([kind, all]): Word[] => [countInWords(all.length, kind)]);
  return counts.length === 0 ? ["Imported a file"] : ["Imported ", ...listed(counts), " from a file"];
}

/** An action as one sentence, or one for each of its things. */
type Description = Readonly<{ sentence: readonly Word[]; changes: readonly (readonly Word[])[] }>;

/**
 * Describes an action or an attempt in a sentence about the user's own things. Callers' words always stand between
 * quotation marks, whatever the tool, its arguments and the stored texts are.
 */
export function describeAction(action: LoggedAction, { names, timeZone }: Known): Description {
  const saying = (...sentence: readonly Word[]): Description => ({ sentence, changes: [] });
  try {
    // Calls over the rate limit share a row, which knows only the first of them.
    if (action.outcome === "rate_limited")
      return saying(countInWords(action.calls, "call"), " refused: over the limit");
    if (action.tool === "import.apply" && action.outcome === "ok") return saying(...importInWords(action));
    const known = { timeZone, names: namesThen(action, names) };
    const changes = changesInWords(action, known);
    if (changes.length === 0) return saying(...callInWords(action, known));
    const { todos, todo_ids = todos, habit_ids: named = todo_ids } = argumentsOf(action);
    const others =
      Array.isArray(named) && named.length > changes.length ? `, of ${named.length} that were named` : "";
    const cut = readImages(action.before).cut || readImages(action.after).cut ? " (shortened)" : "";
    return {
      sentence: [...summaryOf(changes), others, cut],
      changes: changes.length > 1 ? changes.map(({ sentence }) => sentence) : [],
    };
  } catch {
    // One unexpected row must not break the page.
    return saying("Made a call that cannot be described");
  }
}
