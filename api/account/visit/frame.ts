import { frame } from "../../../shared/web/frame.ts";
import { html } from "../../../shared/web/html.ts";
import type { Layout } from "../../../shared/web/layout.ts";
import type { Visit } from "./context.ts";

/** The navigation and the sign-out button of the account pages. */
export const accountFrame = (visit: Visit): Pick<Layout, "nav" | "corner"> =>
  frame(visit, { config: visit.context.config, port: "service", signOutPath: "/account/sign-out" });

/** The header of a page that people see who may not be signed in. */
export const guestFrame: Pick<Layout, "corner"> = { corner: html`<a href="/account">Sign in</a>` };
