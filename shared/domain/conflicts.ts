import { alreadySo, conflict } from "../errors.ts";

/**
 * Refusals by state that contracts document, each sentence once.
 * @param day within a sentence, such as "on 2026-11-20"
 */
export const conflicts = {
  habitCompleted: (day = "today") => alreadySo(`Habit is already completed ${day}.`),
  habitNotCompleted: (day = "today") => alreadySo(`Habit is not completed ${day}.`),
  habitDayDone: (day = "today") => conflict(`Habit is completed ${day}`, "undo that to skip the day."),
  habitAlreadySkipped: (day = "today") => alreadySo(`Habit is already skipped ${day}.`),
  habitNotSkipped: (day = "today") => alreadySo(`Habit is not skipped ${day}.`),
  habitSkipped: (day = "today") => conflict(`Habit is skipped ${day}`, "take the skip back to complete it."),
  todoCompleted: conflict("Todo is already completed", "a reminder needs an incomplete todo."),
} as const;
