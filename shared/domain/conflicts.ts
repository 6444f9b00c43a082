import { alreadySo, conflict, type Refused } from "../errors.ts";

/**
 * Refusals by state that contracts document.
 * @param day within a sentence, such as "on 2026-11-20"
 */
export const habitCompleted = (day = "today"): Refused => alreadySo(`Habit is already completed ${day}.`);
export const habitNotCompleted = (day = "today"): Refused => alreadySo(`Habit is not completed ${day}.`);
export const habitDayDone = (day = "today"): Refused =>
  conflict(`Habit is completed ${day}`, "undo that to skip the day.");
export const habitAlreadySkipped = (day = "today"): Refused => alreadySo(`Habit is already skipped ${day}.`);
export const habitNotSkipped = (day = "today"): Refused => alreadySo(`Habit is not skipped ${day}.`);
export const habitSkipped = (day = "today"): Refused =>
  conflict(`Habit is skipped ${day}`, "take the skip back to complete it.");

export const todoCompleted = conflict("Todo is already completed", "a reminder needs an incomplete todo.");
