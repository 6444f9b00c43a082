import { type Html, html, type NavLink } from "../../../shared/web/html.ts";
import { formToken } from "../form.ts";
import type { Visit } from "./context.ts";

const links: readonly NavLink[] = [
  { href: "/account", label: "Today" },
  { href: "/account/actions", label: "Actions" },
  { href: "/account/settings", label: "Settings" },
];

/** The page itself, or one that a form of it leads to. */
const isAt = (pathname: string, href: string): boolean =>
  pathname === href || (href !== "/account" && pathname.startsWith(`${href}/`));

/** The frame of a signed-in page: where one can go, and the way out. */
export function frame(visit: Visit): { nav: NavLink[]; corner: Html } {
  const { authUrl, builtInIdentity } = visit.context.config;
  const tokens = { href: `${authUrl}/profile/api-tokens`, label: "Tokens" };
  const nav = links.map((link) => ({ ...link, current: isAt(visit.url.pathname, link.href) }));
  return {
    nav: builtInIdentity ? [...nav, tokens] : nav,
    corner: html`<form method="post" action="/account/sign-out">${formToken(visit)}
      <button class="link">Sign out</button></form>`,
  };
}
