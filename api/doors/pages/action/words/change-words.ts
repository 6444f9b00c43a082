import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import type { Image } from "../../../../../shared/domain/action/image-fields.ts";
import type { BeforeAndAfter } from "../../../../../shared/domain/action/images.ts";
import type { ResourceKind } from "../../../../../shared/domain/vocabulary.ts";
import type { ThingNames } from "../../../../queries/action/names.ts";
import { countInWords } from "../../kit/dates.ts";
import { type ChangedThing, changedThings } from "./changed-things.ts";
import { changesBetween, factsOfImage, type Telling } from "./field-words.ts";
import { listed, type Thing, type Word } from "./words.ts";

/** What was done to one thing: the verb and the thing, for a summary of several, and the whole sentence. */
export type Deed = Readonly<{ verb: string; thing: Thing; object: Word; sentence: readonly Word[] }>;

/** What an action changed. An undo says of the same changes that something came back. */
type Told = Readonly<{ images: BeforeAndAfter; isUndo: boolean }>;

/** What an action did in words, thing by thing, from what it left in the log. */
export function deedsOf({ images, isUndo }: Told, telling: Telling): readonly Deed[] {
  const things = changedThings(images);
  const successors = things.flatMap((one) => successorOf(one, things) ?? []);
  return things
    .filter((one) => !successors.includes(one))
    .map((one) => deedOf(one, successorOf(one, things), { ...telling, isUndo }));
}

/** Several deeds as one sentence: `Created 3 todos: “a”, “b” and “c”`. */
export function summaryOf(deeds: readonly Deed[]): readonly Word[] {
  const [only, ...others] = deeds;
  if (only && others.length === 0) return only.sentence;
  const groups = Map.groupBy(deeds, ({ verb, thing }) => `${verb} ${thing.kind}`);
  return [...groups.values()].flatMap((alike, index): Word[] => {
    const [{ verb, thing } = { verb: "", thing: { kind: "todo" as const } }] = alike;
    const count = `${index === 0 ? verb : `; ${verb.toLowerCase()}`} ${countOf(alike.length, thing.kind)}: `;
    return [count, ...listed(alike.map(({ object }) => [object]))];
  });
}

const countOf = (count: number, kind: ResourceKind): string =>
  kind === "category" && count > 1 ? `${count} categories` : countInWords(count, kind);

/** The todo that a recurring one left when it was ticked off, or that went when it was opened again. */
function successorOf(
  { before, after }: ChangedThing,
  things: readonly ChangedThing[],
): ChangedThing | undefined {
  if (!before || !after) return undefined;
  const id = after.next_todo_id ?? before.next_todo_id;
  if (id == null) return undefined;
  return things.find((next) => {
    const isNew = next.before === undefined || next.after === undefined;
    return next.thing.kind === "todo" && next.thing.id === id && isNew;
  });
}

type Manner = Telling & Readonly<{ isUndo: boolean }>;

function deedOf(one: ChangedThing, successor: ChangedThing | undefined, manner: Manner): Deed {
  const { thing, before, after } = one;
  const object = nameOfThing(one, manner.names);
  const verb = verbOf(one, manner.isUndo);
  const sentence = (...rest: readonly Word[]): Deed => ({
    verb,
    thing,
    object,
    sentence: [`${verb} the ${thing.kind} `, object, ...rest],
  });
  const whole = after ?? before ?? {};
  if (!before || !after)
    return sentence(...historyIn(one), ...joined(": ", factsOfImage(thing.kind, whole, manner), ", "));
  const changes = joined(": ", changesBetween(thing.kind, { before, after }, manner), "; ");
  return sentence(...daysOf(one), ...changes, ...nextOf(successor));
}

function verbOf({ before, after, completed, uncompleted }: ChangedThing, isUndo: boolean): string {
  if (!before) return isUndo ? "Brought back" : "Created";
  if (!after) return isUndo ? "Removed" : "Deleted";
  if (completed.length > 0) return "Completed";
  if (uncompleted.length > 0) return "Took back the completion of";
  if (after.is_completed === true) return "Ticked off";
  if (after.is_completed === false) return "Reopened";
  return isUndo ? "Changed back" : "Changed";
}

/** The name that it had at first: a new one is among the changes. */
function nameOfThing({ thing, before, after }: ChangedThing, names: ThingNames): Word {
  const { kind, id } = thing;
  const known = { habit: names.habits, todo: names.todos, category: names.categories }[kind].get(id);
  const name = nameIn(before) ?? nameIn(after) ?? known;
  return name === undefined ? String(id) : { name, thing };
}

function nameIn(image: Image = {}): string | undefined {
  const name = image.title ?? image.name;
  return typeof name === "string" ? name : undefined;
}

/** What a deleted habit took along, or what came back with it. */
function historyIn({ thing, before, after }: ChangedThing): readonly Word[] {
  if (thing.kind !== "habit") return [];
  const { completions_count, longest_streak } = before ?? after ?? {};
  if (typeof completions_count !== "number" || completions_count === 0) return [];
  const longest = typeof longest_streak === "number" ? ` and a longest streak of ${longest_streak}` : "";
  return [` with ${countInWords(completions_count, "completion")}${longest}`];
}

function daysOf({ completed, uncompleted }: ChangedThing): readonly Word[] {
  const days = completed.length > 0 ? completed : uncompleted;
  const dates = days.map((date): Word[] => [isCalendarDate(date) ? { date } : { quoted: date }]);
  return dates.length > 0 ? [" for ", ...listed(dates)] : [];
}

function nextOf(successor: ChangedThing | undefined): readonly Word[] {
  if (!successor) return [];
  const { due_date } = successor.after ?? successor.before ?? {};
  const date = typeof due_date === "string" && isCalendarDate(due_date) ? { date: due_date } : undefined;
  if (successor.after) return date ? ["; it comes again on ", date] : ["; it comes again"];
  return date ? ["; the next one, on ", date, ", is gone again"] : ["; the next one is gone again"];
}

const joined = (lead: string, parts: readonly Word[][], separator: string): readonly Word[] =>
  parts.flatMap((part, index) => [index === 0 ? lead : separator, ...part]);
