import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { isRefused, type Refused, refuse } from "../errors.ts";
import type { Outcome } from "./batch.ts";
import type { QueuedOperation } from "./group.ts";

/** The result of one operation of a group. */
export type OperationEnd = Readonly<{ place: number; outcome: Outcome; replayed: boolean }>;

const ends = Compile(
  Type.Array(
    Type.Object({
      place: Type.Integer(),
      outcome: Type.Unsafe<Outcome>(Type.Object({})),
      replayed: Type.Boolean(),
    }),
  ),
);

/** Reads the answer to a group. @returns undefined when it is none */
export const readEnds = (body: unknown): readonly OperationEnd[] | undefined =>
  ends.Check(body) ? body : undefined;

/** @returns the id of what an operation made or changed */
export function answeredId(outcome: Outcome | undefined): number | undefined {
  if (!outcome || !("body" in outcome)) return undefined;
  const { body } = outcome;
  if (typeof body !== "object" || body === null || !("id" in body)) return undefined;
  return typeof body.id === "number" ? body.id : undefined;
}

/** The refusal of an operation that is not carried out because of another one. */
export const failedDependency = (place: number): Refused =>
  refuse("failed_dependency", `Not carried out, because operation ${place} failed.`);

/**
 * If an operation's result is unknown, so are the results of those that need it.
 * @returns the refusal of an operation that needs one that failed or has not ended
 */
export function missingDependency(
  { after }: Pick<QueuedOperation, "after">,
  ended: ReadonlyMap<number, Outcome>,
): Refused | undefined {
  for (const place of after) {
    const outcome = ended.get(place);
    if (outcome && !isRefused(outcome)) continue;
    return outcome?.refusal.code === "overloaded" ? outcome : failedDependency(place);
  }
  return undefined;
}
