import { Type } from "typebox";
import * as habit from "../../../../shared/contracts/habit/commands.ts";
import { Name } from "../../../../shared/contracts/kernel/fields.ts";
import { checkOneCategory, does, newCategoryScope, tool } from "../tool.ts";
import { frequencyOf, habitArguments, OneHabitFacts, oneHabit } from "./habit.ts";

export const createHabitTool = tool({
  name: "create-habit",
  title: "Create habit",
  description:
    "Create a habit, daily unless told otherwise. target: amount a day. type bad: something to avoid; completing it means avoided today.",
  scopes: ["habits:write"],
  argumentScopes: newCategoryScope,
  destructive: false,
  idempotent: false,
  arguments: Type.Object({ name: Name, ...habitArguments }),
  refine: checkOneCategory,
  act({ type = "good", ...fields }) {
    const input = { frequency: frequencyOf(fields), ...fields, type };
    return does(habit.createHabit, input, (made) => oneHabit("Created", made));
  },
  facts: OneHabitFacts,
});
