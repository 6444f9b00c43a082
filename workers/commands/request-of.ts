import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { Call, QueuedCommand } from "../../shared/queue/batch.ts";

/** What leads from a command back to the request that it came by. */
type OriginOfCommand = Pick<Call, "requestId" | "traceparent">;

const recorded = Compile(
  Type.Object({
    call: Type.Object({ requestId: Type.String(), traceparent: Type.Optional(Type.String()) }),
  }),
);

/**
 * A command that writes the row of another call has that call in its input.
 * @returns undefined for what no request asked for by itself, such as a zone that a token claims
 */
export function requestOf({ call, name, input }: QueuedCommand): OriginOfCommand | undefined {
  if (call) return call;
  return name === "action.record" && recorded.Check(input) ? input.call : undefined;
}
