import { type Html, html } from "../../../../shared/html.ts";
import { browserName } from "../../../http/browser-name.ts";
import { formToken } from "../../../web/form/form.ts";
import { seeOther } from "../../../web/redirect.ts";
import { type AccountSession, endAccountSessions, listSessions } from "../../accounts/sessions.ts";
import { formId } from "../fields.ts";
import { timeIn } from "../times.ts";
import type { SignedIn } from "../visitor.ts";

export const sessionsPath = "/profile/sessions";

/** The browsers in which the person is signed in, each with a button that signs it out. */
export async function sessionsSection(visitor: SignedIn): Promise<Html> {
  const sessions = await listSessions(visitor.identity.pool, visitor.account.id);
  const hasOthers = sessions.some(({ uid }) => uid !== visitor.session.uid);
  return html`<h2 id="sessions">Where you are signed in</h2>
    <p class="quiet small">Times are those of ${visitor.zone}. An app or a token is no browser: see
      <a href="/profile/api-tokens">Tokens</a>.</p>
    <ul class="plain">${sessions.map((session) => sessionCard(visitor, session))}</ul>
    ${
      hasOthers &&
      html`<form method="post" action="${sessionsPath}/end-others">${formToken(visitor)}
      <button class="plain">Sign out all other browsers</button></form>`
    }`;
}

function sessionCard(visitor: SignedIn, { uid, userAgent, signedInAt, usedAt }: AccountSession): Html {
  const name = browserName(userAgent);
  const isThis = uid === visitor.session.uid;
  const button = html`<form method="post" action="${sessionsPath}/end">${formToken(visitor, { uid })}
    <button class="danger" aria-label="Sign out ${name}">Sign out</button></form>`;
  return html`<li class="card"><div class="spread"><h3>${name}</h3>${isThis ? html`<span>This browser</span>` : button}</div>
    <dl class="facts"><dt>Signed in</dt><dd>${timeIn(visitor.zone, signedInAt)}</dd>
    <dt>Last used</dt><dd>${isThis ? "Now" : timeIn(visitor.zone, usedAt)}</dd></dl></li>`;
}

/** POST /profile/sessions/end */
export async function signOutBrowser(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  await endAccountSessions(visitor.identity, visitor.account.id, { only: formId(form, "uid") });
  return seeOther("/profile?done=session#sessions");
}

/** POST /profile/sessions/end-others */
export async function signOutOtherBrowsers(visitor: SignedIn): Promise<Response> {
  await endAccountSessions(visitor.identity, visitor.account.id, { allBut: visitor.session.uid });
  return seeOther("/profile?done=sessions#sessions");
}
