import { allWithoutLock, forUpdate, settingsForUpdate, withoutLock } from "../../unit-of-work/row-request.ts";
import type { Handler } from "../handler.ts";
import { knownSince } from "./known.ts";
import { logStep } from "./log.ts";
import { makeThings } from "./make.ts";
import { stagedThings } from "./parts.ts";

/** A category may have been deleted since the import began; another todo of a series may come in a later step. */
export const importContinue: Handler<"import.continue"> = {
  rows: ({ parts }) => [
    settingsForUpdate,
    allWithoutLock("categories"),
    ...parts.map((part) => forUpdate("import_parts", part)),
  ],
  related({ importParts }) {
    const parts = importParts.all();
    const [habits, todos] = [stagedThings(parts, "habits"), stagedThings(parts, "todos")];
    const categories = [...habits, ...todos].flatMap(({ category }) => category ?? []);
    const own = [
      ...habits.map(({ key }) => key),
      ...todos.flatMap(({ key, next }) => [key, next ?? []].flat()),
    ];
    return {
      rows: [
        ...categories.flatMap((key) => withoutLock("import_keys", key)),
        ...own.map((key) => forUpdate("import_keys", key)),
      ],
    };
  },
  run(context, { step, ...action }) {
    const known = knownSince(context.importKeys.all(), action.called_at);
    const made = makeThings(context, context.importParts.all(), known);
    logStep(context, action, step);
    return made;
  },
};
