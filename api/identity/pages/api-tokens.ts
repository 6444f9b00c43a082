import type { Context } from "koa";
import { allScopes, isScope, type Scope, scopes } from "../../../shared/contracts/scopes.ts";
import { field, problem } from "../../../shared/web/form-fields.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { Account } from "../accounts/accounts.ts";
import type { Identity } from "../accounts/context.ts";
import {
  type Connection,
  createPersonalToken,
  listConnections,
  MAX_CONNECTIONS,
  revokeConnection,
} from "../grants/grants.ts";
import { scopeFields } from "./fields.ts";
import { seeOther, sendPage } from "./respond.ts";
import { formToken, frame, readForm, type Visitor } from "./visitor.ts";

export const tokensPath = "/profile/api-tokens";

const lifetimes = new Map([
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
  [365, "1 year"],
  [3_650, "10 years"],
]);
const MAX_NAME = 100;

export type SignedIn = Visitor & { account: Account };

/** GET /profile/api-tokens */
export async function showTokens(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  await sendTokens(identity, ctx, visitor, { draft: emptyDraft });
}

/** POST /profile/api-tokens: the token is in this answer and nowhere else. */
export async function createToken(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const form = await readForm(identity, ctx, visitor);
  const draft = {
    name: (form.get("name") ?? "").trim().normalize("NFC"),
    scopes: form.getAll("scope").filter(isScope),
    days: Number(form.get("days")),
  };
  const error = draftProblem(draft);
  if (error) return sendTokens(identity, ctx, visitor, { draft, error });
  const wanted = { accountId: visitor.account.id, ...draft };
  const token = await createPersonalToken(identity.provider, identity.pool, identity.resources, wanted);
  if (token === undefined) return sendTokens(identity, ctx, visitor, { draft, error: tooMany });
  await sendTokens(identity, ctx, visitor, { draft: emptyDraft, created: { name: draft.name, token } });
}

/** POST /profile/api-tokens/revoke: ends a personal token or disconnects an app. */
export async function revoke(identity: Identity, ctx: Context, visitor: SignedIn): Promise<void> {
  const form = await readForm(identity, ctx, visitor);
  await revokeConnection(identity.pool, visitor.account.id, form.get("id") ?? "");
  seeOther(ctx, tokensPath);
}

const tooMany = `You have ${MAX_CONNECTIONS} tokens, which is as many as an account may have. Revoke one first.`;

type Draft = { name: string; scopes: Scope[]; days: number };

const emptyDraft: Draft = { name: "", scopes: [], days: 90 };

function draftProblem({ name, scopes: wanted, days }: Draft): string | undefined {
  if (name === "" || name.length > MAX_NAME || /\p{Cc}/u.test(name)) {
    return `Give the token a name of 1 to ${MAX_NAME} characters.`;
  }
  if (wanted.length === 0) return "Tick at least one permission.";
  return lifetimes.has(days) ? undefined : "Choose when the token expires.";
}

type Shown = { draft: Draft; error?: string; created?: { name: string; token: string } };

async function sendTokens(identity: Identity, ctx: Context, visitor: SignedIn, shown: Shown): Promise<void> {
  const { pool, resources, ownClient } = identity;
  const connections = await listConnections(pool, visitor.account.id, resources, ownClient.id);
  const personal = connections.filter((connection) => connection.isPersonal);
  const apps = connections.filter((connection) => !connection.isPersonal);
  const item = (connection: Connection) => connectionCard(identity, visitor, connection);
  const body = html`${shown.created && createdNote(shown.created)}${problem(shown.error)}
    <h2>Personal access tokens</h2>
    ${personal.length === 0 && html`<p class="quiet">You have none. A token lets a script or an agent act for you.</p>`}
    <ul class="plain">${personal.map(item)}</ul>
    ${tokenForm(identity, visitor, shown)}
    <h2>Connected apps</h2>
    ${apps.length === 0 && html`<p class="quiet">No app is connected. Apps that you allow appear here.</p>`}
    <ul class="plain">${apps.map(item)}</ul>`;
  const page = { title: "Tokens and apps", body, ...frame(identity, visitor, tokensPath) };
  sendPage(ctx, page, { status: shown.error ? 422 : 200 });
}

function createdNote({ name, token }: { name: string; token: string }): Html {
  return html`<div class="note" role="status"><p><strong>${name}</strong> is ready. Copy it now: it is not shown
    again.</p><p><code class="secret">${token}</code></p></div>`;
}

function tokenForm(identity: Identity, visitor: Visitor, { draft, error }: Shown): Html {
  const open = error && html` open`;
  return html`<details class="card"${open}><summary>Create a token</summary>
    <form method="post" action="${tokensPath}">${formToken(identity, visitor)}
    ${field({ name: "name", label: "Name", value: draft.name, max: MAX_NAME, hint: "What will use it, such as “Laptop script”." })}
    <fieldset><legend>It may</legend>${scopeFields(allScopes, draft.scopes)}</fieldset>
    <div class="field"><label for="days">Expires after</label><select id="days" name="days">
    ${[...lifetimes].map(([days, label]) => html`<option value="${days}"${days === draft.days && html` selected`}>${label}</option>`)}
    </select></div>
    <div class="actions"><button>Create token</button></div></form></details>`;
}

function connectionCard(identity: Identity, visitor: SignedIn, connection: Connection): Html {
  const { id, isPersonal, name, createdAt, lastUsedAt, expiresAt } = connection;
  const time = (at: number) => timeIn(visitor.account.timeZone ?? identity.config.defaultTimeZone, at);
  const verb = isPersonal ? "Revoke" : "Disconnect";
  return html`<li class="card"><div class="spread"><h3>${name}</h3>
    <form method="post" action="${tokensPath}/revoke">${formToken(identity, visitor)}
    <input type="hidden" name="id" value="${id}">
    <button class="danger" aria-label="${verb} ${name}">${verb}</button></form></div>
    <dl class="facts"><dt>May</dt><dd>${allowed(connection.scopes)}</dd>
    <dt>${isPersonal ? "Created" : "Connected"}</dt><dd>${time(createdAt)}</dd>
    <dt>Last used</dt><dd>${lastUsedAt ? time(lastUsedAt) : "Never"}</dd>
    ${isPersonal && html`<dt>Expires</dt><dd>${time(expiresAt)}</dd>`}</dl></li>`;
}

function allowed(granted: readonly Scope[]): Html | string {
  if (granted.length === 0) return "Know who you are";
  return html`<ul class="plain">${granted.map((scope) => html`<li>${scopes[scope]}</li>`)}</ul>`;
}

function timeIn(timeZone: string, epochMs: number): Html {
  const at = new Date(epochMs);
  const text = at.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone });
  return html`<time datetime="${at.toISOString()}">${text}</time>`;
}
