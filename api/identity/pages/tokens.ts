import { hkdfSync } from "node:crypto";
import { type Html, html } from "../../../shared/html.ts";
import { copyScript } from "../../web/assets.ts";
import { guideLines, tokenGuides } from "../../web/connect-guides.ts";
import { formToken } from "../../web/form/form.ts";
import { field, problem } from "../../web/form/form-fields.ts";
import { type KeyRing, mapKeys, seal, unseal } from "../../web/key-ring.ts";
import { seeOther } from "../../web/redirect.ts";
import { type Connection, listConnections, maxConnections, revokeConnection } from "../grants.ts";
import { createPersonalToken, type NewToken } from "../tokens.ts";
import { formId, maxName, nameIn, nameProblem, timeIn } from "./fields.ts";
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

/** The action log of the connection, where its actions can be undone. */
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
export async function showOnce(visitor: SignedIn, { id, token }: NewToken): Promise<Response> {
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

export const nameWithEnd = ({ name, lastFour }: Connection): Html =>
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
