import { Type } from "typebox";
import * as habit from "../../../../shared/contracts/habit/commands.ts";
import { Id } from "../../../../shared/contracts/kernel/fields.ts";
import { deletionFacts, does, quoteStored, tool } from "../tool.ts";

export const deleteHabitTool = tool({
  name: "delete-habit",
  title: "Delete habit",
  description: "Delete habits with their completions for good; update-habit pauses or archives instead.",
  scopes: ["habits:write"],
  destructive: true,
  idempotent: true,
  arguments: Type.Object({ habit_id: Id }),
  many: { habit_ids: "habit_id" },
  act: (args) =>
    does(habit.deleteHabit, args, ({ id, name }) => ({
      lines: [`Deleted habit #${id} ${quoteStored(name)} with its completions.`],
      facts: { deleted_habit_id: id, name },
      canReturn: true,
    })),
  facts: Type.Object({ deleted_habit_id: Id, name: Type.Optional(Type.String()), ...deletionFacts }),
});
