import { type CommandName, commands } from "../../../shared/contracts/catalogue.ts";
import type { Contract } from "../../../shared/contracts/contract.ts";
import { type Fields, validate } from "../../../shared/contracts/validate.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { Outcome } from "../../../shared/queue/batch.ts";
import type { Visit } from "./context.ts";

/** What a signed-in person's form asks for, by the same way as every mutation: checked, queued, committed. */
export async function carryOut(
  { context, session }: Pick<Visit, "context" | "session">,
  name: CommandName,
  fields: Fields,
): Promise<Outcome> {
  const validated = validate(commands[name] as Contract, fields);
  if (isRefused(validated)) return validated;
  const { outcome } = await context.dispatch({ userId: session.sub }, { name, input: validated.input });
  return outcome;
}
