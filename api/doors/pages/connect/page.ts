import { type Html, html } from "../../../../shared/html.ts";
import { copyScript } from "../../../web/assets.ts";
import { connectGuides, type Guide, guideLines } from "../../../web/connect-guides.ts";
import { page } from "../../../web/page.ts";
import { agentsPath } from "../action/paths.ts";
import { liveMark, liveScripts } from "../live/live-mark.ts";
import type { Guest } from "../session/context.ts";
import { accountFrame, guestFrame } from "../session/frame.ts";
import { signedInVisit } from "../session/session.ts";
import { connectLight, waitingAddress } from "./light.ts";

/** GET /account/connect: open to anybody, because it shows nothing but this server's address. */
export async function showConnect(guest: Guest): Promise<Response> {
  const { site, context } = guest;
  const { baseUrl, authUrl, builtInIdentity } = context.config;
  const visit = await signedInVisit(guest);
  const waiting = visit && waitingAddress(visit);
  const mark = visit && (await liveMark(visit, { follows: "actions", from: waiting }));
  const body = html`${mark}<p class="lead quiet">An agent that is connected reads and changes your habits and todos, as far
    as you allow it when it signs in. What it did is under <a href="/account/actions">Actions</a>, and under
    <a href="${agentsPath}">Agents</a> you choose what it must ask you for.</p>
    ${visit && waiting && (await connectLight(visit, waiting))}
    ${connectGuides(baseUrl).map((guide, n) => guideSection(guide, `lines-${n}`))}
    ${
      builtInIdentity &&
      html`<p><a href="${authUrl}/profile/api-tokens">Make a token for scripts</a>; you can end it there as well.</p>`
    }
    <p class="unseen" role="status" id="copied"></p>`;
  const frame = visit ? await accountFrame(visit) : guestFrame;
  return page(site, {
    title: "Connect an agent",
    body,
    scripts: [copyScript, ...(visit ? liveScripts : [])],
    ...frame,
  });
}

function guideSection(guide: Guide, id: string): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${guide.client}</h2>
    <p>${guide.text}</p>
    ${guideLines(guide)}</section>`;
}
