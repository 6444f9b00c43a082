import type { ChangedThing } from "../words/changed-things.ts";
import type { LoggedRow } from "../words/logged-row.ts";
import { thingsIn } from "../words/named-ids.ts";

/** What an action deleted: nothing where it did something else besides, such as opening a todo again. */
export function deletedThings(action: LoggedRow): readonly ChangedThing[] {
  const things = thingsIn(action);
  return things.every(({ after }) => after === undefined) ? things : [];
}
