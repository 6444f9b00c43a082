import { allScopes } from "../../../../shared/contracts/kernel/scopes.ts";
import { seeOther } from "../../../web/redirect.ts";
import { revokeConnection } from "../../grants/connections.ts";
import { maxConnections } from "../../grants/grants.ts";
import { createPersonalToken } from "../../grants/personal-token.ts";
import { formId } from "../fields.ts";
import { tokensPath } from "../site.ts";
import type { SignedIn } from "../visitor.ts";
import { chosenEnd, endProblem, lifetimeOf } from "./lifetime.ts";
import { showTokens, type TokenDraft } from "./list-page.ts";
import { nameIn, nameProblem } from "./name.ts";
import { permissionsOf } from "./permissions.ts";
import { showOnce } from "./shown-once.ts";

/** POST /profile/api-tokens */
export async function createToken(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const draft: TokenDraft = {
    name: nameIn(form),
    permissions: permissionsOf(form),
    lifetime: lifetimeOf(form),
  };
  const refuse = (error: string) => showTokens(visitor, { draft, error });
  const { name } = draft;
  const { scopes } = draft.permissions;
  const wrongName = nameProblem(name);
  if (wrongName) return refuse(wrongName);
  if (scopes.length === 0) return refuse("Tick at least one permission.");
  const expiresAt = chosenEnd(draft.lifetime, visitor.zone);
  if (expiresAt === undefined) return refuse(endProblem);
  const wanted = { accountId: visitor.account.id, name, scopes, expiresAt };
  const created = await createPersonalToken(visitor.identity, wanted);
  return created ? showOnce(visitor, created) : refuse(tooMany);
}

const tooMany = `You have ${maxConnections} tokens, which is as many as an account may have. Revoke one first.`;

const longestDays = 90;

/** True for a token that may do everything, or lasts for more than 90 days: its maker must have just proven who it is. */
export function isLasting({ zone }: SignedIn, form: URLSearchParams): boolean {
  const { scopes } = permissionsOf(form);
  const end = chosenEnd(lifetimeOf(form), zone) ?? 0;
  return (
    allScopes.every((scope) => scopes.includes(scope)) || end > Date.now() / 1_000 + longestDays * 86_400
  );
}

/** POST /profile/api-tokens/revoke: ends a personal token or disconnects an app. */
export async function revoke(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  await revokeConnection(visitor.identity, visitor.account.id, formId(form));
  return seeOther(`${tokensPath}?done=revoked`);
}
