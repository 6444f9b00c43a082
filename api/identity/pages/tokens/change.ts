import { isScope } from "../../../../shared/contracts/kernel/scopes.ts";
import { seeOther } from "../../../web/redirect.ts";
import { endOldSecrets, maxSecrets, rotateToken } from "../../accounts/tokens/rotation.ts";
import { changeConnection } from "../../grants/changes.ts";
import { findConnection } from "../../grants/connections.ts";
import { formId } from "../fields.ts";
import { tokensPath } from "../site.ts";
import type { SignedIn } from "../visitor.ts";
import { goneMessage, graceChoices, showChange } from "./change-page.ts";
import { chosenEnd, endProblem, lifetimeOf } from "./lifetime.ts";
import { nameIn, nameProblem } from "./name.ts";
import { showOnce } from "./shown-once.ts";

/** POST /profile/api-tokens/change: another name, and fewer permissions. */
export async function changeToken(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const { identity, account } = visitor;
  const id = formId(form);
  const name = nameIn(form);
  const found = await findConnection(identity, account.id, id);
  if (!found) return goneMessage(visitor);
  const scopes = form.getAll("scope").filter(isScope);
  const allowsNone = found.scopes.length > 0 && !found.scopes.some((scope) => scopes.includes(scope));
  const error =
    nameProblem(name) ?? (allowsNone ? "Leave it at least one permission, or revoke it." : undefined);
  if (error) return showChange(visitor, id, { error, name });
  const isChanged = await changeConnection(identity, { accountId: account.id, id }, { name, scopes });
  return isChanged ? seeOther(`${tokensPath}?done=changed`) : goneMessage(visitor);
}

/** POST /profile/api-tokens/rotate: a new secret, shown once. */
export async function rotate(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const { identity, account } = visitor;
  const id = formId(form);
  const lifetime = lifetimeOf(form);
  const expiresAt = chosenEnd(lifetime, visitor.zone);
  const grace = form.get("grace") ?? "";
  if (lifetime.choice !== "" && expiresAt === undefined)
    return showChange(visitor, id, { error: endProblem, lifetime });
  if (!graceChoices.has(grace)) return showChange(visitor, id, { error: "Choose when the old secret ends." });
  const rotation = { graceSeconds: Number(grace), expiresAt };
  const rotated = await rotateToken(identity, { accountId: account.id, id }, rotation);
  return typeof rotated === "string"
    ? showChange(visitor, id, { error: problems[rotated], lifetime })
    : showOnce(visitor, rotated);
}

/** POST /profile/api-tokens/end-old: secrets before the present one stop working at once. */
export async function endOld({ identity, account }: SignedIn, form: URLSearchParams): Promise<Response> {
  await endOldSecrets(identity, { accountId: account.id, id: formId(form) });
  return seeOther(`${tokensPath}?done=old-ended`);
}

const problems = {
  busy: "It is being changed already. Try again.",
  full: `${maxSecrets} secrets of it still work, which is as many as may. Let the old ones end at once, or wait for the next end.`,
};
