import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { liveScript, quickScript, stayScript } from "../../../web/assets.ts";
import type { Visit } from "../session/context.ts";
import { type Followed, readUserState } from "../streams/version.ts";

/** The scripts of a page with parts that follow what happens elsewhere, which may also show what is typed at its top. */
export const liveScripts = [stayScript, liveScript, quickScript];

/**
 * What tells the scripts which version a page shows. To be read before the page's content, which then has at least that.
 * @param from where the parts are fetched anew, if not at the page's own address
 */
export async function liveMark(
  { context, session }: Visit,
  { follows = "changes", from }: Readonly<{ follows?: Followed; from?: string | undefined }> = {},
): Promise<Html> {
  const query = context.query({ userId: session.sub });
  const found = await query.inTurn(async (own) => ({ state: await readUserState(own, session.sub) }), false);
  const version = isRefused(found) ? undefined : found.state?.versions[follows];
  return html`<div id="live" hidden data-part data-version="${version}" data-follows="${follows}"${from !== undefined && html` data-from="${from}"`}></div>`;
}
