import type { Actor } from "../../shared/actor.ts";
import type { Fields } from "../../shared/contracts/validate.ts";
import { cutArguments } from "../../shared/domain/cut-arguments.ts";
import { printable } from "../../shared/domain/printable.ts";
import type { ToolCall } from "../../shared/queue/batch.ts";
import { isObject } from "../http/body.ts";
import type { Call } from "./call.ts";

const maxToolName = 128;

/** The tool call that a JSON-RPC message is; undefined when it is another message, or a malformed call. */
export function callOf(message: Fields, actor: Actor, startedAt: number): Call | undefined {
  const { method, params, id } = message;
  const answerable = typeof id === "string" || typeof id === "number";
  if (method !== "tools/call" || !answerable || !isObject(params)) return undefined;
  const { name, arguments: args = {} } = params;
  if (typeof name !== "string" || !isObject(args)) return undefined;
  return {
    actor,
    args,
    record: {
      requestId: Bun.randomUUIDv7(),
      tokenId: actor.tokenId,
      clientName: actor.clientName === null ? null : printable(actor.clientName),
      tool: printable(name).slice(0, maxToolName),
      startedAt,
    },
  };
}

/** What the call's row is made of; its arguments are cut before they travel to a worker. */
export const recordOf = (
  { record, args }: Pick<Call, "record" | "args">,
  maxArguments: number,
): ToolCall => ({
  ...record,
  arguments: cutArguments(args, maxArguments),
});
