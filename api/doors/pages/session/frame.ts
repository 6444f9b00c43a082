import { DatabaseFailure } from "../../../../shared/db/database-failure.ts";
import { html } from "../../../../shared/html.ts";
import { countUnseenRuns } from "../../../queries/action/runs.ts";
import { frame } from "../../../web/frame.ts";
import type { Layout } from "../../../web/layout.ts";
import { page } from "../../../web/page.ts";
import type { Visit } from "./context.ts";
import { findLastVisit } from "./last-visit.ts";
import { quickBar } from "./quick-bar.ts";

type Frame = Pick<Layout, "nav" | "corner" | "tools" | "notice" | "isApp">;

/** Answers with an account page. */
export const accountPage = async (
  visit: Visit,
  content: Layout,
  options?: Parameters<typeof page>[2],
): Promise<Response> => page(visit.site, { ...content, ...(await accountFrame(visit)) }, options);

/** The frame of every account page: the navigation, the sign-out button, the line to add something, and the notice. */
export async function accountFrame(visit: Visit): Promise<Frame> {
  const own = { tools: quickBar(visit), notice: visit.notice, isApp: true };
  return { ...frame(visit, visit.context.config, await countNews(visit)), ...own };
}

/** The number of runs of agents that the person has not looked at. */
async function countNews(visit: Visit): Promise<number> {
  const { query } = visit;
  const { newest } = await findLastVisit(visit, query.now);
  if (newest === undefined) return 0;
  return countUnseenRuns(query, newest || "-infinity").catch((error) => {
    if (error instanceof DatabaseFailure) return 0;
    throw error;
  });
}

/** The header of a page that is open to people who are not signed in. */
export const guestFrame: Pick<Layout, "corner"> = { corner: html`<a href="/account">Sign in</a>` };
