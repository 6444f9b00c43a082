import { alreadySo, conflict, type Refused } from "../errors.ts";

/** The refusals by state that contracts show in documents. @param day in a sentence, such as "on 2026-11-20" */
export const habitCompleted = (day = "today"): Refused => alreadySo(`Habit is already completed ${day}.`);
export const habitNotCompleted = (day = "today"): Refused => alreadySo(`Habit is not completed ${day}.`);

export const todoCompleted = conflict("Todo is already completed", "a reminder needs an incomplete todo.");
