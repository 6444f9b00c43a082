import { frame } from "../../../shared/web/frame.ts";
import { html } from "../../../shared/web/html.ts";
import type { Layout, NavLink } from "../../../shared/web/layout.ts";
import type { Visit } from "./context.ts";
import { quickBar } from "./quick-bar.ts";

const links: readonly NavLink[] = [
  { href: "/account", label: "Today" },
  { href: "/account/actions", label: "Actions" },
  { href: "/account/connect", label: "Connect" },
  { href: "/account/settings", label: "Settings" },
];

/** What is around every account page: the navigation, the sign-out button, the line to add something, and what was just done. */
export function accountFrame(visit: Visit): Pick<Layout, "nav" | "corner" | "tools" | "notice"> {
  const { authUrl, builtInIdentity } = visit.context.config;
  const tokens = { href: `${authUrl}/profile/api-tokens`, label: "Tokens" };
  const nav = links.map((link) => ({ ...link, current: isAt(visit.url.pathname, link.href) }));
  const own = { tools: quickBar(visit), notice: visit.notice };
  return { ...frame(visit, builtInIdentity ? [...nav, tokens] : nav, "/account/sign-out"), ...own };
}

/** The header of a page that people see who may not be signed in. */
export const guestFrame: Pick<Layout, "corner"> = { corner: html`<a href="/account">Sign in</a>` };

/** Whether a path is the page itself or one that a form of it leads to. */
const isAt = (pathname: string, href: string): boolean =>
  pathname === href || (href !== "/account" && pathname.startsWith(`${href}/`));
