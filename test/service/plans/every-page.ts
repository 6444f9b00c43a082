import { countUnseenRuns } from "../../../api/queries/action/unseen.ts";
import { readDay } from "../../../api/queries/dashboard/day.ts";
import { type QueryContext, readDaySettings } from "../../../api/queries/engine/context.ts";
import { habitSorts, readHabitPage } from "../../../api/queries/habit/overview.ts";
import { readHabitInYear } from "../../../api/queries/habit/year.ts";
import { dueGroups } from "../../../api/queries/todo/due-groups.ts";
import { readTodoPage } from "../../../api/queries/todo/overview.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import { idAt } from "../../labs/bench/seed.ts";

const yearBefore = (today: string): string => addDays(today, -365);

/** The account pages' reads beyond the contracts' queries, in each form of their statements. */
export async function readEveryPage(query: QueryContext): Promise<void> {
  const { today } = await readDaySettings(query);
  await readDay(query, yearBefore, 1);
  await countUnseenRuns(query, yearBefore(today.date));
  await readHabitInYear(query, idAt(0, 0), yearBefore);
  const kinds = [{}, { category_id: 1 }];
  for (const kind of kinds)
    for (const page of [1, 2]) {
      await readHabitPage(query, today, { ...kind, page });
      await query.inTurn((own) => readHabitPage(own, today, { ...kind, page, q: "walk" }), true);
    }
  const filters = [
    {},
    { context: "desk" },
    { categoryId: 1 },
    { context: "desk", categoryId: 1 },
    ...dueGroups
      .map((name) => ({ name, firstWeekday: 1 }))
      .flatMap((group) => [{ group }, { group, context: "desk" }, { group, categoryId: 1 }]),
  ];
  for (const sort of ["important", "title", "newest"] as const)
    for (const page of [1, 1_000])
      await query.inTurn((own) => readTodoPage(own, today, { sort, page }), true);
  for (const sort of habitSorts) await readHabitPage(query, today, { sort, page: 1 });
  for (const some of filters)
    for (const status of [undefined, "incomplete", "completed"] as const)
      for (const page of [1, 2, 1_000]) {
        await readTodoPage(query, today, { ...some, status, page });
        await query.inTurn((own) => readTodoPage(own, today, { ...some, status, page, q: "heating" }), true);
      }
}
