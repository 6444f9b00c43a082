import type { Evidence, Violation } from "../evidence.ts";
import { checkAnswers, checkCreations } from "./answers.ts";
import { checkLate } from "./late.ts";
import { checkLog } from "./log.ts";
import { checkOrder } from "./order.ts";
import { checkSequences } from "./sequences.ts";
import { checkParity, checkWinners } from "./shared-rows.ts";

const checks = [
  ...[checkCreations, checkSequences, checkOrder, checkParity],
  ...[checkWinners, checkLog, checkLate, checkAnswers],
];

/** All faults of the tables, given the answers that clients got. */
export const check = (evidence: Evidence): Violation[] => checks.flatMap((one) => one(evidence));
