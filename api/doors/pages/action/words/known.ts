import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { idIn, type Names } from "../../../../../shared/contracts/kernel/tool-sentence.ts";
import type { Image } from "../../../../../shared/domain/action/image-fields.ts";
import { localTime } from "../../../../../shared/domain/day/day.ts";
import { resourceKinds } from "../../../../../shared/domain/vocabulary.ts";
import { namesOf, type ThingNames } from "../../../../queries/action/names.ts";
import { type QueryContext, readDaySettings } from "../../../../queries/engine/context.ts";
import { argumentsOf } from "./call-words.ts";
import { changedThings, rowOf, titleIn } from "./changed-things.ts";

/** The user's zone and its present date; days of the log go from midnight to midnight. */
export type Day = Readonly<{ timeZone: string; today: string }>;

export async function readLogDay(query: QueryContext): Promise<Day> {
  const { timeZone } = await readDaySettings(query);
  return { timeZone, today: localTime(query.now, timeZone).slice(0, 10) };
}

/** The wall time of an action in the user's zone. */
export const localTimeOf = ({ called_at }: Pick<LoggedAction, "called_at">, timeZone: string): string =>
  localTime(Date.parse(called_at), timeZone);

/** The present names of all things that these actions may name. */
export const readNames = (query: QueryContext, actions: readonly LoggedAction[]): Promise<ThingNames> =>
  namesOf(query, new Set(actions.flatMap(thingsNamedIn)));

function thingsNamedIn(action: LoggedAction): readonly string[] {
  const changed = changedThings(action).flatMap(({ thing, before = {}, after = {} }) => [
    thing,
    ...[before, after].flatMap(({ category_id }) => things({ category_id })),
  ]);
  return [...things(argumentsOf(action)), ...changed];
}

const things = (ids: Image): readonly string[] =>
  resourceKinds.flatMap((kind) => {
    const id = idIn(ids, `${kind}_id`);
    return id === undefined ? [] : [rowOf(kind, id)];
  });

/** The names of things before an action; the present ones if the action does not tell. */
export function namesThen(action: LoggedAction, present: Names): Names {
  const { resource_kind: kind, resource_id: id, resource_name: name } = action;
  const then = new Map(kind && name !== null ? [[rowOf(kind, id), name]] : []);
  for (const { thing, before, after } of changedThings(action)) {
    const title = titleIn(before) ?? titleIn(after);
    if (title !== undefined) then.set(thing, title);
  }
  return { get: (thing) => then.get(thing) ?? present.get(thing) };
}

/** The name of the calling token or app, or the beginning of the token's id. */
export const nameOfCaller = ({
  client_name,
  token_id,
}: Pick<LoggedAction, "client_name" | "token_id">): string => client_name ?? `Token ${token_id.slice(0, 8)}`;
