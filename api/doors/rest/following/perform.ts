import type { InputOf, Queries } from "../../../../shared/contracts/catalogue.ts";
import { isRefused } from "../../../../shared/errors.ts";
import type { Actor } from "../../../mailbox/actor.ts";
import type { CommandResult } from "../../../mailbox/dispatch.ts";
import { execute, prepare } from "../../../perform.ts";
import type { FollowContext } from "./follow.ts";
import { openStream } from "./stream.ts";
import { waitForChange } from "./wait.ts";

type Asked = Parameters<typeof prepare>[0] & Readonly<{ actor: Actor; request: Request }>;

/** Answers the routes of changes, which may wait for the next one. A browser that comes back sends `Last-Event-ID`. */
export async function performChanges(context: FollowContext, asked: Asked): Promise<CommandResult> {
  const { contract, request } = asked;
  const lastId = contract.name === "change.stream" ? request.headers.get("last-event-id") : null;
  const content = async () => {
    const found = await asked.content();
    if (isRefused(found) || !lastId) return found;
    return { ...found, fields: { ...found.fields, cursor: lastId } };
  };
  const prepared = await prepare({ ...asked, content });
  if (isRefused(prepared)) return { outcome: prepared, replayed: false };
  const input = prepared.input as InputOf<Queries["change.list"]>;
  if (contract.name === "change.stream") {
    const body = await openStream(context, asked, input.cursor);
    return { outcome: isRefused(body) ? body : { body }, replayed: false };
  }
  const refused = await waitForChange(context, asked, input);
  return refused ? { outcome: refused, replayed: false } : execute(context, prepared);
}
