import { type Html, html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import { field, problem, selectField } from "../../../web/form/form-fields.ts";
import { message, page } from "../../../web/page.ts";
import { type Connection, findConnection } from "../../grants/connections.ts";
import { scopeFields } from "../fields.ts";
import { tokensPath } from "../site.ts";
import { timeIn } from "../times.ts";
import { profileFrame, type SignedIn } from "../visitor.ts";
import { endFields, type Lifetime } from "./lifetime.ts";
import { maxName } from "./name.ts";
import { nameWithEnd } from "./words.ts";

type Rejected = Readonly<{ error: string; name?: string; lifetime?: Lifetime }>;

/** GET /profile/api-tokens/change: one token or app, or its rejected form. */
export async function showChange(
  visitor: SignedIn,
  id = visitor.url.searchParams.get("id") ?? "",
  rejected?: Rejected,
): Promise<Response> {
  const connection = await findConnection(visitor.identity, visitor.account.id, id);
  if (!connection) return goneMessage(visitor);
  const body = html`${problem(rejected?.error)}
    <p class="quiet lead">${nameWithEnd(connection)}</p>
    ${changeForm(visitor, connection, rejected?.name)}
    ${connection.isPersonal && rotationForm(visitor, connection, rejected?.lifetime)}
    <p><a href="${tokensPath}">All tokens and apps</a></p>`;
  const title = connection.isPersonal ? "Change a token" : "Change an app";
  const content = { title, body, ...profileFrame(visitor) };
  return page(visitor.site, content, { status: rejected ? 422 : 200 });
}

/** The answer to a form or an address that names no connection of the account. */
export function goneMessage({ site }: SignedIn): Response {
  const text = html`It has ended. <a href="${tokensPath}">All tokens and apps</a>`;
  return message(site, "There is no such token", text, { status: 404, link: null });
}

function changeForm(visitor: SignedIn, { id, name, scopes }: Connection, typed = name): Html {
  return html`<form method="post" action="${tokensPath}/change" class="card">${formToken(visitor, { id })}
    ${field({ name: "name", label: "Name", value: typed, max: maxName })}
    ${
      scopes.length > 0 &&
      html`<fieldset aria-describedby="only-fewer"><legend>It may</legend>
        <p class="quiet small" id="only-fewer">You can take permissions away. For more, make a new token.</p>
        ${scopeFields(scopes, scopes)}</fieldset>`
    }
    <button>Save</button></form>`;
}

function rotationForm(visitor: SignedIn, { id, expiresAt }: Connection, lifetime?: Lifetime): Html {
  const chosen = lifetime ?? { choice: "", date: "" };
  const timeZone = visitor.zone;
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
export const graceChoices = new Map([
  ["0", "At once"],
  ["3600", "In an hour"],
  ["86400", "In a day"],
  ["604800", "In a week"],
]);
