import { hkdfSync } from "node:crypto";
import { isScope } from "../../../shared/contracts/kernel/scopes.ts";
import { type Html, html } from "../../../shared/html.ts";
import { copyScript } from "../../web/assets.ts";
import { guideLines, tokenGuides } from "../../web/connect-guides.ts";
import { formToken } from "../../web/form/form.ts";
import { field, problem, selectField } from "../../web/form/form-fields.ts";
import { type KeyRing, mapKeys, seal, unseal } from "../../web/key-ring.ts";
import { message } from "../../web/page.ts";
import { seeOther } from "../../web/redirect.ts";
import {
  type Connection,
  changeConnection,
  listConnections,
  maxConnections,
  revokeConnection,
} from "../grants.ts";
import { createPersonalToken, endOldSecrets, maxSecrets, type NewToken, rotateToken } from "../tokens.ts";
import { formId, maxName, nameIn, nameProblem, scopeFields, timeIn } from "./fields.ts";
import {
  allowedInWords,
  chosenEnd,
  endFields,
  endProblem,
  type Lifetime,
  lifetimeOf,
  type Permissions,
  permissionFields,
  permissionsOf,
  readOnly,
} from "./token-fields.ts";
import { cookie, cookieNames, framedPage, type SignedIn } from "./visitor.ts";

export const tokensPath = "/profile/api-tokens";

type TokenDraft = Readonly<{ name: string; permissions: Permissions; lifetime: Lifetime }>;

const emptyDraft: TokenDraft = { name: "", permissions: readOnly, lifetime: { choice: "90", date: "" } };

const outcomes = new Map([
  ["revoked", "It has ended."],
  ["old-ended", "The earlier secret has ended."],
  ["changed", "Your changes are saved."],
]);

type PageData = Readonly<{ draft?: TokenDraft; error?: string }>;

export async function showTokens(visitor: SignedIn, { draft, error }: PageData = {}): Promise<Response> {
  const connections = await listConnections(visitor.identity, visitor.account.id);
  // The token is taken last and by GET only: a failed read or a HEAD must not lose it.
  const created = visitor.request.method === "GET" ? await takeShownOnce(visitor) : undefined;
  const personal = connections.filter((connection) => connection.isPersonal);
  const apps = connections.filter((connection) => !connection.isPersonal);
  const item = (connection: Connection) => connectionCard(visitor, connection);
  const done = outcomes.get(visitor.url.searchParams.get("done") ?? "");
  const body = html`${created && createdNote(visitor, connections, created)}
    ${done && html`<p class="note" role="status">${done}</p>`}${problem(error)}
    ${tokenForm(visitor, draft ?? emptyDraft)}
    <h2>Personal access tokens</h2>
    ${personal.length === 0 && html`<p class="quiet">You have none. A token lets a script or an agent act for you.</p>`}
    <ul class="plain">${personal.map(item)}</ul>
    <h2>Connected apps</h2>
    ${apps.length === 0 && html`<p class="quiet">No app is connected. Apps that you allow appear here.</p>`}
    <ul class="plain">${apps.map(item)}</ul>`;
  const scripts = created ? [copyScript] : [];
  return framedPage(visitor, { title: "Tokens and apps", body, scripts }, { status: error ? 422 : 200 });
}

function createdNote(
  { identity }: SignedIn,
  connections: readonly Connection[],
  { id, token }: NewToken,
): Html | undefined {
  const made = connections.find((connection) => connection.id === id);
  if (!made) return undefined;
  return html`<div class="note created">
    <p role="status"><strong>${made.name}</strong> is ready. Copy the token now: it is not shown again.</p>
    ${guideLines({ client: "scripts: the token alone", lines: token })}
    ${tokenGuides(identity.config.baseUrl, token).map(
      (guide) =>
        html`<details><summary>${guide.client}</summary><p>${guide.text}</p>${guideLines(guide)}</details>`,
    )}
    <p class="unseen" role="status" id="copied"></p></div>`;
}

function tokenForm(visitor: SignedIn, { name, permissions, lifetime }: TokenDraft): Html {
  const hint = "What will use it, such as “Laptop script”.";
  return html`<form method="post" action="${tokensPath}" class="card">${formToken(visitor)}
    <h2>New token</h2>
    ${field({ name: "name", label: "Name", value: name, max: maxName, hint })}
    ${permissionFields(permissions)}
    ${endFields({ chosen: lifetime, timeZone: visitor.zone, label: "It ends after" })}
    <div class="actions"><button>Create token</button></div></form>`;
}

function connectionCard(visitor: SignedIn, connection: Connection): Html {
  const { id, isPersonal, name, createdAt } = connection;
  return html`<li class="card"><div class="spread"><h3>${nameWithEnd(connection)}</h3>
    <a href="${tokensPath}/change?id=${id}">Change<span class="unseen"> ${name}</span></a></div>
    <dl class="facts"><dt>May</dt><dd>${allowedInWords(connection.scopes)}</dd>
    <dt>${isPersonal ? "Created" : "Connected"}</dt><dd>${timeIn(visitor.zone, createdAt)}</dd>
    <dt>Last used</dt><dd>${sayUse(visitor, connection)}
      <a href="${actionsOf(id)}">What it did<span class="unseen">: ${name}</span></a></dd>
    ${isPersonal && html`<dt>Ends</dt><dd>${sayEnd(visitor, connection)}</dd>`}</dl>
    ${oldSecretForm(visitor, connection)}
    ${endingForm(visitor, connection)}</li>`;
}

/** After a new secret, the earlier one keeps working for the chosen time. */
function oldSecretForm(visitor: SignedIn, { id, name, oldSecretEndsAt }: Connection): Html | false {
  if (oldSecretEndsAt === null) return false;
  return html`<form method="post" action="${tokensPath}/end-old">${formToken(visitor, { id })}
    <p class="note">An earlier secret also works, until ${timeIn(visitor.zone, oldSecretEndsAt)}.
    <button class="plain">End it now<span class="unseen"> (${name})</span></button></p></form>`;
}

function endingForm(visitor: SignedIn, { id, isPersonal, name }: Connection): Html {
  const verb = isPersonal ? "Revoke" : "Disconnect";
  return html`<details><summary>${verb}<span class="unseen"> ${name}?</span></summary>
    <p>Programs that use it stop working, for good. What it did stays in the log.</p>
    <form method="post" action="${tokensPath}/revoke">${formToken(visitor, { id })}
    <button class="danger">${verb} ${name}</button></form></details>`;
}

const actionsOf = (id: string): string => `/account/actions?${new URLSearchParams({ token_id: id })}`;

export async function createToken(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const draft = { name: nameIn(form), permissions: permissionsOf(form), lifetime: lifetimeOf(form) };
  const refuse = (error: string) => showTokens(visitor, { draft, error });
  const { name, permissions } = draft;
  const { scopes } = permissions;
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

export async function revoke(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  await revokeConnection(visitor.identity, visitor.account.id, formId(form));
  await visitor.identity.deliverNews();
  return seeOther(`${tokensPath}?done=revoked`);
}

/** Two minutes, longer than any redirect takes. */
const handedSeconds = 120;
const handedCookie = { ...cookie, path: tokensPath } as const;

/**
 * A new token on its way to the list. It is for this session only, in case its cookie stays for the next person at the
 * same browser.
 */
type Handed = Readonly<{ holder: string; id: string; token: string }>;

/** Redirects to the list, which shows the new token once: a reload makes no second token. */
async function showOnce(visitor: SignedIn, { id, token }: NewToken): Promise<Response> {
  const handed: Handed = { holder: visitor.holder, id, token };
  const value = await seal(handed, keysOf(visitor), handedSeconds);
  visitor.ctx.cookies.set(nameOf(visitor), value, { ...handedCookie, maxAge: handedSeconds * 1_000 });
  return seeOther(tokensPath);
}

/** @returns the token that was just made, at the first call only */
async function takeShownOnce(visitor: SignedIn): Promise<NewToken | undefined> {
  const value = visitor.ctx.cookies.get(nameOf(visitor), handedCookie);
  if (!value) return undefined;
  visitor.ctx.cookies.set(nameOf(visitor), null, handedCookie);
  const handed = await unseal<Handed>(value, keysOf(visitor));
  return handed?.holder === visitor.holder ? handed : undefined;
}

const nameOf = ({ identity }: SignedIn): string => cookieNames(identity.config).newToken;

const keysOf = ({ identity }: SignedIn): KeyRing<Uint8Array> =>
  mapKeys(
    identity.keys.forms,
    (key) => new Uint8Array(hkdfSync("sha256", key, "kept identity pages", "new token", 32)),
  );

const dayMs = 24 * 60 * 60 * 1_000;
const unusedMs = 30 * dayMs;
const soonMs = 7 * dayMs;

const nameWithEnd = ({ name, lastFour }: Connection): Html =>
  html`${name}${lastFour && html` <code class="quiet">kept_…${lastFour}</code>`}`;

function sayUse({ zone }: SignedIn, { lastUsedAt, createdAt }: Connection): Html {
  const isIdle = Date.now() - (lastUsedAt ?? createdAt) > unusedMs;
  const hint = isIdle && html` <span class="badge warn">If nothing needs it, end it</span>`;
  return html`${lastUsedAt ? timeIn(zone, lastUsedAt) : "Never"}${hint}`;
}

function sayEnd({ zone }: SignedIn, { expiresAt }: Connection): Html {
  const days = Math.ceil((expiresAt - Date.now()) / dayMs);
  const left = days === 1 ? "Less than a day left" : `${days} days left`;
  const hint = expiresAt - Date.now() < soonMs && html` <span class="badge warn">${left}</span>`;
  return html`${timeIn(zone, expiresAt)}${hint}`;
}

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
