import { html } from "../../../../shared/html.ts";
import { frame } from "../../../web/frame.ts";
import type { Layout } from "../../../web/layout.ts";
import type { Visit } from "./context.ts";
import { quickBar } from "./quick-bar.ts";

/** What is around every account page: the navigation, the sign-out button, the line to add something, and what was just done. */
export function accountFrame(visit: Visit): Pick<Layout, "nav" | "corner" | "tools" | "notice"> {
  const own = { tools: quickBar(visit), notice: visit.notice };
  const { config } = visit.context;
  return { ...frame(visit, { config, port: "service", signOutPath: "/account/sign-out" }), ...own };
}

/** The header of a page that people see who may not be signed in. */
export const guestFrame: Pick<Layout, "corner"> = { corner: html`<a href="/account">Sign in</a>` };
