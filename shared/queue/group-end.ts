import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { isRefused, type Refused, refuse } from "../errors.ts";
import type { Outcome, Reply } from "./batch.ts";
import type { QueuedOperation } from "./group.ts";

/** The result of one operation of a group. */
export type OperationEnd = Readonly<{ index: number }> & Pick<Reply, "outcome" | "replayed" | "changes">;

const ends = Compile(
  Type.Array(
    Type.Object({
      index: Type.Integer(),
      outcome: Type.Unsafe<Outcome>(Type.Object({})),
      replayed: Type.Boolean(),
    }),
  ),
);

/**
 * Reads the answer to a group.
 * @returns undefined when it is not one
 */
export const readEnds = (body: unknown): readonly OperationEnd[] | undefined =>
  ends.Check(body) ? body : undefined;

/** @returns the id of what an operation made or changed */
export function answeredId(outcome: Outcome | undefined): number | undefined {
  if (!outcome || !("body" in outcome)) return undefined;
  const { body } = outcome;
  if (typeof body !== "object" || body === null || !("id" in body)) return undefined;
  return typeof body.id === "number" ? body.id : undefined;
}

/** The refusal of an operation that needs one that failed. */
export const failedDependency = (index: number): Refused =>
  refuse("failed_dependency", `Not carried out, because operation ${index} failed.`);

/**
 * If an operation's result is unknown, so are the results of those that need it.
 * @returns the refusal of an operation that needs a failed or unfinished one
 */
export function missingDependency(
  { after }: Pick<QueuedOperation, "after">,
  ended: ReadonlyMap<number, Outcome>,
): Refused | undefined {
  for (const index of after) {
    const outcome = ended.get(index);
    if (outcome && !isRefused(outcome)) continue;
    return outcome?.refusal.code === "overloaded" ? outcome : failedDependency(index);
  }
  return undefined;
}
