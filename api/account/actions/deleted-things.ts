import type { ChangedThing } from "./changed-things.ts";
import type { LoggedRow } from "./logged-row.ts";
import { thingsIn } from "./named-ids.ts";

/** What an action deleted: nothing where it did something else besides, such as opening a todo again. */
export function deletedThings(action: LoggedRow): readonly ChangedThing[] {
  const things = thingsIn(action);
  return things.every(({ after }) => after === undefined) ? things : [];
}
