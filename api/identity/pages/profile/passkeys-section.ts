import { type Html, html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import { problem } from "../../../web/form/form-fields.ts";
import { passkeySite } from "../../passkeys/site.ts";
import { listPasskeys, type Passkey } from "../../passkeys/storage.ts";
import { timeIn } from "../times.ts";
import type { SignedIn } from "../visitor.ts";

export const passkeysPath = "/profile/passkeys";

/** The account's passkeys and a form for a new one; nothing if the site can have none. */
export async function passkeysSection(
  visitor: SignedIn,
  error: string | undefined,
): Promise<Html | undefined> {
  const { identity, account } = visitor;
  if (!passkeySite(identity.config)) return undefined;
  const passkeys = await listPasskeys(identity.pool, account.id);
  return html`<h2 id="passkeys">Passkeys</h2>
    ${problem(error)}
    <p class="quiet">A passkey signs you in with your fingerprint, your face or the code of your device, without the
      password.</p>
    <ul class="plain">${passkeys.map((passkey) => passkeyCard(visitor, passkey))}</ul>
    <form method="post" action="${passkeysPath}" class="actions">${formToken(visitor)}
    <button>Add a passkey</button></form>`;
}

function passkeyCard(visitor: SignedIn, { id, name, createdAt, lastUsedAt }: Passkey): Html {
  return html`<li class="card"><div class="spread"><h3>${name}</h3>
    <form method="post" action="${passkeysPath}/remove">${formToken(visitor, { id })}
    <button class="danger" aria-label="Remove the passkey ${name}">Remove</button></form></div>
    <dl class="facts"><dt>Added</dt><dd>${timeIn(visitor.zone, createdAt)}</dd>
    <dt>Last used</dt><dd>${lastUsedAt === null ? "Never" : timeIn(visitor.zone, lastUsedAt)}</dd></dl></li>`;
}
