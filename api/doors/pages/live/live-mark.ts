import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { pageScript } from "../../../web/assets.ts";
import { type Followed, readUserState } from "../../streams/hub.ts";
import type { Visit } from "../session/context.ts";

/** The scripts of a page on which things are done, and whose parts update themselves. */
export const liveScripts = [pageScript];

/**
 * Tells the scripts the version of a page. Read it before the page's content, which is then at least as new.
 * @param from the address of the parts, if it is not the page's own
 */
export async function liveMark(
  { query, session }: Visit,
  { follows = "changes", from }: Readonly<{ follows?: Followed; from?: string | undefined }> = {},
): Promise<Html> {
  const found = await query.inTurn(async (own) => ({ state: await readUserState(own, session.sub) }));
  const version = isRefused(found) ? undefined : found.state?.versions[follows];
  return html`<div id="live" hidden data-part data-version="${version}" data-follows="${follows}"${from !== undefined && html` data-from="${from}"`}></div>`;
}
