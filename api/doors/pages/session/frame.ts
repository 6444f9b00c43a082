import { html } from "../../../../shared/html.ts";
import { frame } from "../../../web/frame.ts";
import type { Layout } from "../../../web/layout.ts";
import type { Visit } from "./context.ts";
import { quickBar } from "./quick-bar.ts";

/** The frame of every account page: the navigation, the sign-out button, the line to add something, and the notice. */
export function accountFrame(visit: Visit): Pick<Layout, "nav" | "corner" | "tools" | "notice" | "isApp"> {
  const own = { tools: quickBar(visit), notice: visit.notice, isApp: true };
  const { config } = visit.context;
  return { ...frame(visit, { config, port: "service", signOutPath: "/account/sign-out" }), ...own };
}

/** The header of a page that is open to people who are not signed in. */
export const guestFrame: Pick<Layout, "corner"> = { corner: html`<a href="/account">Sign in</a>` };
