import type { Evidence, Violation } from "../evidence.ts";
import { checkAnswers } from "./answers.ts";
import { checkCreations } from "./creations.ts";
import { checkLate } from "./late.ts";
import { checkLog } from "./log.ts";
import { checkOrder } from "./order.ts";
import { checkParity } from "./parity.ts";
import { checkSequences } from "./sequences.ts";
import { checkWinners } from "./winners.ts";

const checks = [
  checkCreations,
  checkSequences,
  checkOrder,
  checkParity,
  checkWinners,
  checkLog,
  checkLate,
  checkAnswers,
];

/** All faults of the tables, given the answers that clients got. */
export const check = (evidence: Evidence): Violation[] => checks.flatMap((one) => one(evidence));
