import { type CommandName, commands } from "../../../shared/contracts/catalogue.ts";
import { allScopes } from "../../../shared/contracts/scopes.ts";
import type { Fields } from "../../../shared/contracts/validate.ts";
import type { Outcome } from "../../../shared/queue/batch.ts";
import { perform } from "../../perform.ts";
import type { Visit } from "./context.ts";

/** Performs the command that a signed-in person's form asks for. People may do everything with what is theirs. */
export async function submit(
  { context, session }: Pick<Visit, "context" | "session">,
  name: CommandName,
  fields: Fields,
): Promise<Outcome> {
  const actor = { userId: session.sub, scopes: allScopes };
  const { outcome } = await perform(context, {
    contract: commands[name],
    actor,
    door: "page",
    content: () => ({ fields }),
  });
  return outcome;
}
