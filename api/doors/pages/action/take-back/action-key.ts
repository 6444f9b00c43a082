import { listActions } from "../../../../../shared/contracts/action/contracts.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { validate } from "../../../../http/input/validate.ts";
import type { ActionKey } from "../../../../queries/action/undone.ts";

/** @returns the log key in a parameter such as `2026-11-20T09:15:00.000Z_<request id>`; undefined for another text */
export function keyIn(cursor: string): ActionKey | undefined {
  const [called_at, request_id] = cursor.split("_");
  const isWrong = isRefused(validate(listActions, { cursor }));
  return isWrong || !called_at || !request_id ? undefined : { called_at, request_id };
}
