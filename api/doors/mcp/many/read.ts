import type { TObject } from "typebox";
import { type ManyItem, maxAtOnce } from "../../../../shared/contracts/kernel/many.ts";
import { givenIn } from "../../../../shared/contracts/kernel/tool-sentence.ts";
import { invalid, isRefused, type Refused } from "../../../../shared/errors.ts";
import { mapGivingWay } from "../../../../shared/process/give-way.ts";
import { isObject } from "../../../http/input/body.ts";
import { type Fields, validate } from "../../../http/input/validate.ts";
import type { Content } from "../../../perform.ts";
import { mannerOf, numberingOf } from "../arguments.ts";

/**
 * The rules for reading a call of several things: its lists, by the argument of one thing whose values each list
 * has.
 */
export type ReadableLists = Readonly<{
  lists: Readonly<Record<string, string | undefined>>;
  /** The lists, and the arguments of every write. */
  schema: TObject;
  /** Arguments that each object must have. */
  ownNames: readonly string[];
  readOne(thing: Fields): ManyItem;
}>;

/** The parts of a call: its lists, the arguments for all things, and its manner. */
function readLists({ schema, lists, ownNames }: ReadableLists, args: Fields) {
  const own = Object.keys(lists).filter((list) => Object.hasOwn(args, list));
  const { idempotency_key: _, preview: __, ...sent } = args;
  const shared = picked(sent, (name) => !own.includes(name));
  const each = own.flatMap((list) => lists[list] ?? ownNames);
  const next = own.some((list) => lists[list] === undefined)
    ? "each of them has its own."
    : "send one of them.";
  const problem = (name: string) => ({ reason: `${name} cannot be given beside ${own.join(" and ")}`, next });
  const both = Object.keys(shared).filter((name) => each.includes(name));
  const unknown = Object.fromEntries(both.map((name) => [name, [problem(name)]]));
  const listsAndManner = picked(args, (name) => !Object.hasOwn(shared, name));
  const checked = validate({ input: schema }, numberingOf(schema)(listsAndManner), { unknown });
  if (isRefused(checked)) return checked;
  const {
    idempotency_key: key,
    preview,
    ...found
  } = checked.input as Readonly<Record<string, readonly unknown[]>>;
  return { found, shared, ...mannerOf(key, preview) };
}

const picked = (fields: Fields, isWanted: (name: string) => boolean): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => isWanted(name)));

/**
 * Objects are read one by one, and a wrong one is refused alone. An object that lacks an argument takes it from the
 * call.
 */
export async function readObjects(reading: ReadableLists, args: Fields): Promise<Content | Refused> {
  const lists = readLists(reading, args);
  if (isRefused(lists)) return lists;
  const { found, shared, ...how } = lists;
  const [things = []] = Object.values(found);
  const read: Fields = {};
  const items = await mapGivingWay([...things], (thing): ManyItem => {
    if (!isObject(thing)) return notAnObject;
    const own = givenIn(thing);
    const one = refuseWhole(reading, own) ?? reading.readOne({ ...shared, ...own });
    if (isRefused(one)) return one;
    const isShared = (name: string) => Object.hasOwn(shared, name) && !Object.hasOwn(own, name);
    Object.assign(read, picked(one.input, isShared));
    return { input: picked(one.input, (name) => !isShared(name)) };
  });
  return { fields: { items, ...(Object.keys(read).length > 0 && { shared: read }) }, ...how };
}

const notAnObject = invalid({ "": ["Each must be an object of this tool's arguments."] });

/** Refuses arguments of a single thing that belong to the whole call. */
function refuseWhole({ schema }: ReadableLists, thing: Fields): Refused | undefined {
  const names = Object.keys(schema.properties).filter((name) => Object.hasOwn(thing, name));
  const problem = (name: string) => ({
    reason: `${name} is not for one thing`,
    next: "give it once, beside the list.",
  });
  return names.length === 0
    ? undefined
    : invalid(Object.fromEntries(names.map((name) => [name, [problem(name)]])));
}

/** All things get the same change, so an error in it refuses the whole call. */
export function readShared(reading: ReadableLists, args: Fields): Content | Refused {
  const lists = readLists(reading, args);
  if (isRefused(lists)) return lists;
  const { found, shared, ...how } = lists;
  const things = combined(reading, found);
  if (things.length > maxAtOnce) {
    const problem = `One call does at most ${maxAtOnce} things; these are ${things.length}.`;
    return invalid({ [Object.keys(found)[0] ?? ""]: [problem] });
  }
  const one = reading.readOne({ ...shared, ...things[0] });
  if (isRefused(one)) return one;
  const own = Object.keys(things[0] ?? {});
  const read = picked(one.input, (name) => !own.includes(name));
  return { fields: { items: things.map((input) => ({ input })), shared: read }, ...how };
}

/** Combines each value of one list with each value of the others. */
const combined = (
  { lists }: ReadableLists,
  found: Readonly<Record<string, readonly unknown[]>>,
): readonly Fields[] =>
  Object.entries(found).reduce<Fields[]>(
    (things, [list, values]) =>
      things.flatMap((thing) => values.map((value) => ({ ...thing, [lists[list] ?? list]: value }))),
    [{}],
  );
