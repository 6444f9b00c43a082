import { isScope } from "../../../shared/contracts/kernel/scopes.ts";
import { type Html, html } from "../../../shared/html.ts";
import { formToken } from "../../web/form/form.ts";
import { field, problem, selectField } from "../../web/form/form-fields.ts";
import { message } from "../../web/page.ts";
import { seeOther } from "../../web/redirect.ts";
import { type Connection, changeConnection, listConnections } from "../grants.ts";
import { endOldSecrets, maxSecrets, rotateToken } from "../tokens.ts";
import { formId, maxName, nameIn, nameProblem, scopeFields, timeIn } from "./fields.ts";
import { chosenEnd, endFields, endProblem, type Lifetime, lifetimeOf } from "./token-fields.ts";
import { nameWithEnd, showOnce, tokensPath } from "./tokens.ts";
import { framedPage, type SignedIn } from "./visitor.ts";

/** GET /profile/api-tokens/change: one token or app, or its rejected form. */
export async function showChange(
  visitor: SignedIn,
  id = visitor.url.searchParams.get("id") ?? "",
  rejected?: Readonly<{ error: string; name?: string; lifetime?: Lifetime }>,
): Promise<Response> {
  const [connection] = await listConnections(visitor.identity, visitor.account.id, id);
  if (!connection) return goneMessage(visitor);
  const body = html`${problem(rejected?.error)}
    <p class="quiet lead">${nameWithEnd(connection)}</p>
    ${changeForm(visitor, connection, rejected?.name)}
    ${connection.isPersonal && rotationForm(visitor, connection, rejected?.lifetime)}
    <p><a href="${tokensPath}">All tokens and apps</a></p>`;
  const title = connection.isPersonal ? "Change a token" : "Change an app";
  return framedPage(visitor, { title, body }, { status: rejected ? 422 : 200 });
}

/** The answer to a form or an address that names no connection of the account. */
function goneMessage({ site }: SignedIn): Response {
  const text = html`It has ended. <a href="${tokensPath}">All tokens and apps</a>`;
  return message(site, "There is no such token", text, { status: 404, link: null });
}

function changeForm(visitor: SignedIn, { id, name, scopes }: Connection, typed = name): Html {
  return html`<form method="post" action="${tokensPath}/change" class="card">${formToken(visitor, { id })}
    ${field({ name: "name", label: "Name", value: typed, max: maxName })}
    ${
      scopes.length > 0 &&
      html`<fieldset aria-describedby="only-fewer"><legend>Permissions</legend>
        <p class="quiet small" id="only-fewer">You can take permissions away. For more, make a new token.</p>
        ${scopeFields(scopes, scopes)}</fieldset>`
    }
    <button>Save</button></form>`;
}

function rotationForm(visitor: SignedIn, { id, expiresAt }: Connection, lifetime?: Lifetime): Html {
  const { zone: timeZone } = visitor;
  const chosen = lifetime ?? { choice: "", date: "" };
  const first = { value: "", label: "As before" };
  const graces = [...graceChoices].map(([value, label]) => ({ value, label }));
  return html`<h2>New secret</h2>
    <form method="post" action="${tokensPath}/rotate" class="card">${formToken(visitor, { id })}
    <p class="quiet small">The token keeps its name, its permissions and its actions in the log, and gets another secret. It
      ends on ${timeIn(timeZone, expiresAt)}.</p>
    ${selectField({ name: "grace", label: "The old secret ends", value: "0", options: graces })}
    ${endFields({ chosen, timeZone, label: "The token ends after", first })}
    <button>Make a new secret</button></form>`;
}

/** Seconds that the previous secret keeps working, with labels. */
const graceChoices = new Map([
  ["0", "At once"],
  ["3600", "In an hour"],
  ["86400", "In a day"],
  ["604800", "In a week"],
]);

export async function changeToken(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const { identity, account } = visitor;
  const id = formId(form);
  const name = nameIn(form);
  const [found] = await listConnections(identity, account.id, id);
  if (!found) return goneMessage(visitor);
  const scopes = form.getAll("scope").filter(isScope);
  const allowsNone = found.scopes.length > 0 && !found.scopes.some((scope) => scopes.includes(scope));
  const error =
    nameProblem(name) ?? (allowsNone ? "Leave it at least one permission, or revoke it." : undefined);
  if (error) return showChange(visitor, id, { error, name });
  const isChanged = await changeConnection(identity, { accountId: account.id, id }, { name, scopes });
  await identity.deliverNews();
  return isChanged ? seeOther(`${tokensPath}?done=changed`) : goneMessage(visitor);
}

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
