import { type Html, html } from "../../../../shared/html.ts";
import { copyScript } from "../../../web/assets.ts";
import { guideLines, tokenGuides } from "../../../web/connect-guides.ts";
import { formToken } from "../../../web/form/form.ts";
import { field, problem } from "../../../web/form/form-fields.ts";
import { page } from "../../../web/page.ts";
import { type Connection, listConnections } from "../../grants/connections.ts";
import type { NewToken } from "../../grants/personal-token.ts";
import { tokensPath } from "../site.ts";
import { timeIn } from "../times.ts";
import { profileFrame, type SignedIn } from "../visitor.ts";
import { endFields, type Lifetime } from "./lifetime.ts";
import { maxName } from "./name.ts";
import { allowedInWords, type Permissions, permissionFields, readOnly } from "./permissions.ts";
import { takeShownOnce } from "./shown-once.ts";
import { nameWithEnd, sayEnd, sayUse } from "./words.ts";

/** The typed values of the form for a new token. */
export type TokenDraft = Readonly<{ name: string; permissions: Permissions; lifetime: Lifetime }>;

const emptyDraft: TokenDraft = { name: "", permissions: readOnly, lifetime: { choice: "90", date: "" } };

/** Messages after a form was saved and the browser was redirected here. */
const outcomes = new Map([
  ["revoked", "It has ended."],
  ["old-ended", "The earlier secret has ended."],
  ["changed", "Your changes are saved."],
]);

type PageData = Readonly<{ draft?: TokenDraft; error?: string }>;

/** GET /profile/api-tokens, or its rejected form. */
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
  const content = { title: "Tokens and apps", body, scripts, ...profileFrame(visitor) };
  return page(visitor.site, content, { status: error ? 422 : 200 });
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

/** The confirmation before a connection ends. */
function endingForm(visitor: SignedIn, { id, isPersonal, name }: Connection): Html {
  const verb = isPersonal ? "Revoke" : "Disconnect";
  return html`<details><summary>${verb}<span class="unseen"> ${name}?</span></summary>
    <p>Programs that use it stop working, for good. What it did stays in the log.</p>
    <form method="post" action="${tokensPath}/revoke">${formToken(visitor, { id })}
    <button class="danger">${verb} ${name}</button></form></details>`;
}

/** The action log of the connection, where its actions can be undone. */
const actionsOf = (id: string): string => `/account/actions?${new URLSearchParams({ token_id: id })}`;
