import { html } from "../../../../shared/html.ts";
import { browserName } from "../../../http/browser-name.ts";
import { passkeyScript } from "../../../web/assets.ts";
import { formToken } from "../../../web/form/form.ts";
import { field } from "../../../web/form/form-fields.ts";
import { page } from "../../../web/page.ts";
import { seeOther } from "../../../web/redirect.ts";
import { createPasskey, creationOptions } from "../../passkeys/creation.ts";
import { maxPasskeys, removePasskey } from "../../passkeys/storage.ts";
import { formId } from "../fields.ts";
import { maxName, nameIn, nameProblem } from "../tokens/name.ts";
import { profileFrame, type SignedIn } from "../visitor.ts";
import { passkeysPath } from "./passkeys-section.ts";
import { profilePage } from "./profile-page.ts";

/** POST /profile/passkeys: shows a page with a challenge for the new passkey. */
export async function beginPasskey(visitor: SignedIn): Promise<Response> {
  const options = await creationOptions(visitor.identity, visitor);
  if (!options) return profilePage(visitor, { passkey: "Passkeys need an address with https." });
  const name = { label: "Name", value: browserName(visitor.ctx.get("user-agent")), max: maxName };
  const body = html`<p data-no-passkey>This browser cannot make passkeys here, or its scripts are switched off.</p>
    <form method="post" action="${passkeysPath}/create" class="narrow" data-passkey="create"
      data-options="${JSON.stringify(options)}" hidden>${formToken(visitor, { credential: "" })}
    ${field({ name: "name", ...name, hint: "So that you know it again on your list." })}
    <div class="actions"><button>Make the passkey</button></div>
    <p class="error" role="status"></p></form>
    <p><a href="/profile#passkeys">Back to your account</a></p>`;
  const content = { title: "Add a passkey", body, scripts: [passkeyScript], ...profileFrame(visitor) };
  return page(visitor.site, content);
}

/** POST /profile/passkeys/create: the browser's answer. */
export async function finishPasskey(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  const { identity, account, holder } = visitor;
  const name = nameIn(form);
  const problem = nameProblem(name);
  if (problem) return profilePage(visitor, { passkey: problem });
  const text = form.get("credential") ?? "";
  if (!(await createPasskey(identity, { account, holder, text, name }))) {
    return profilePage(visitor, { passkey: notMade });
  }
  return seeOther("/profile?done=passkey#passkeys");
}

const notMade = `The passkey could not be added: the page was open for more than ten minutes, the device has one already, or you have ${maxPasskeys}.`;

/** POST /profile/passkeys/remove */
export async function dropPasskey(visitor: SignedIn, form: URLSearchParams): Promise<Response> {
  await removePasskey(visitor.identity, visitor.account.id, formId(form));
  return seeOther("/profile?done=no-passkey#passkeys");
}
