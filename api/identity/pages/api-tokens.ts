import { allScopes, isScope, type Scope, scopes } from "../../../shared/contracts/scopes.ts";
import { formToken } from "../../../shared/web/form.ts";
import { field, problem } from "../../../shared/web/form-fields.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import { page } from "../../../shared/web/page.ts";
import { seeOther } from "../../../shared/web/redirect.ts";
import { type Connection, listConnections, revokeConnection } from "../grants/connections.ts";
import { maxConnections } from "../grants/grants.ts";
import { createPersonalToken } from "../grants/personal-token.ts";
import { scopeFields } from "./fields.ts";
import { tokensPath } from "./site.ts";
import { timeIn } from "./times.ts";
import { profileFrame, type SignedIn } from "./visitor.ts";

const lifetimes = new Map([
  [7, "7 days"],
  [30, "30 days"],
  [90, "90 days"],
  [365, "1 year"],
  [3_650, "10 years"],
]);
const maxName = 100;

/** GET /profile/api-tokens */
export function showTokens(visitor: SignedIn): Promise<Response> {
  return tokensPage(visitor, { draft: emptyDraft });
}

/** POST /profile/api-tokens: the token is shown in this answer only. */
export async function createToken(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const draft = {
    name: (form.get("name") ?? "").trim().normalize("NFC"),
    scopes: form.getAll("scope").filter(isScope),
    days: Number(form.get("days")),
  };
  const error = draftProblem(draft);
  if (error) return tokensPage(visitor, { draft, error });
  const wanted = { accountId: visitor.account.id, ...draft };
  const token = await createPersonalToken(visitor.identity, wanted);
  if (token === undefined) return tokensPage(visitor, { draft, error: tooMany });
  return tokensPage(visitor, { draft: emptyDraft, created: { name: draft.name, token } });
}

/** POST /profile/api-tokens/revoke: ends a personal token or disconnects an app. */
export async function revoke(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  await revokeConnection(visitor.identity.pool, visitor.account.id, form.get("id") ?? "");
  return seeOther(tokensPath);
}

const tooMany = `You have ${maxConnections} tokens, which is as many as an account may have. Revoke one first.`;

type Draft = Readonly<{ name: string; scopes: Scope[]; days: number }>;

const emptyDraft: Draft = { name: "", scopes: [], days: 90 };

function draftProblem({ name, scopes: wanted, days }: Draft): string | undefined {
  if (name === "" || name.length > maxName || /\p{Cc}/u.test(name)) {
    return `Give the token a name of 1 to ${maxName} characters.`;
  }
  if (wanted.length === 0) return "Tick at least one permission.";
  return lifetimes.has(days) ? undefined : "Choose when the token expires.";
}

type Shown = Readonly<{ draft: Draft; error?: string; created?: { name: string; token: string } }>;

async function tokensPage(visitor: SignedIn, shown: Shown): Promise<Response> {
  const connections = await listConnections(visitor.identity, visitor.account.id);
  const personal = connections.filter((connection) => connection.isPersonal);
  const apps = connections.filter((connection) => !connection.isPersonal);
  const item = (connection: Connection) => connectionCard(visitor, connection);
  const body = html`${shown.created && createdNote(shown.created)}${problem(shown.error)}
    <h2>Personal access tokens</h2>
    ${personal.length === 0 && html`<p class="quiet">You have none. A token lets a script or an agent act for you.</p>`}
    <ul class="plain">${personal.map(item)}</ul>
    ${tokenForm(visitor, shown)}
    <h2>Connected apps</h2>
    ${apps.length === 0 && html`<p class="quiet">No app is connected. Apps that you allow appear here.</p>`}
    <ul class="plain">${apps.map(item)}</ul>`;
  const content = { title: "Tokens and apps", body, ...profileFrame(visitor) };
  return page(visitor.site, content, { status: shown.error ? 422 : 200 });
}

function createdNote({ name, token }: { name: string; token: string }): Html {
  return html`<div class="note" role="status"><p><strong>${name}</strong> is ready. Copy it now: it is not shown
    again.</p><p><code class="secret">${token}</code></p></div>`;
}

function tokenForm(visitor: SignedIn, { draft, error }: Shown): Html {
  const open = error && html` open`;
  return html`<details class="card"${open}><summary>Create a token</summary>
    <form method="post" action="${tokensPath}">${formToken(visitor)}
    ${field({ name: "name", label: "Name", value: draft.name, max: maxName, hint: "What will use it, such as “Laptop script”." })}
    <fieldset><legend>It may</legend>${scopeFields(allScopes, draft.scopes)}</fieldset>
    <div class="field"><label for="days">Expires after</label><select id="days" name="days">
    ${[...lifetimes].map(([days, label]) => html`<option value="${days}"${days === draft.days && html` selected`}>${label}</option>`)}
    </select></div>
    <div class="actions"><button>Create token</button></div></form></details>`;
}

function connectionCard(visitor: SignedIn, connection: Connection): Html {
  const { id, isPersonal, name, createdAt, lastUsedAt, expiresAt } = connection;
  const time = (at: number) => timeIn(visitor.zone, at);
  const verb = isPersonal ? "Revoke" : "Disconnect";
  return html`<li class="card"><div class="spread"><h3>${name}</h3>
    <form method="post" action="${tokensPath}/revoke">${formToken(visitor)}
    <input type="hidden" name="id" value="${id}">
    <button class="danger" aria-label="${verb} ${name}">${verb}</button></form></div>
    <dl class="facts"><dt>May</dt><dd>${allowed(connection.scopes)}</dd>
    <dt>${isPersonal ? "Created" : "Connected"}</dt><dd>${time(createdAt)}</dd>
    <dt>Last used</dt><dd>${lastUsedAt ? time(lastUsedAt) : "Never"}
      <a href="${actionsOf(visitor, id)}">What it did<span class="unseen">: ${name}</span></a></dd>
    ${isPersonal && html`<dt>Expires</dt><dd>${time(expiresAt)}</dd>`}</dl></li>`;
}

/** There what it did can be taken back, too. */
const actionsOf = ({ identity }: SignedIn, id: string): string =>
  `${identity.config.baseUrl}/account/actions?${new URLSearchParams({ token_id: id })}`;

function allowed(granted: readonly Scope[]): Html | string {
  if (granted.length === 0) return "Know who you are";
  return html`<ul class="plain">${granted.map((scope) => html`<li>${scopes[scope]}</li>`)}</ul>`;
}
