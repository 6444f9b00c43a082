import { type Html, html, type NavLink } from "../html.ts";
import type { Visit } from "./account.ts";
import { formToken } from "./form.ts";

const links: readonly NavLink[] = [
  { href: "/account", label: "Today" },
  { href: "/account/actions", label: "Actions" },
  { href: "/account/settings", label: "Settings" },
];

/** The frame of a signed-in page: where one can go, and the way out. */
export function frame(visit: Visit): { nav: NavLink[]; corner: Html } {
  const { authUrl, builtInIdentity } = visit.account.config;
  const tokens = { href: `${authUrl}/profile/api-tokens`, label: "Tokens" };
  const nav = links.map((link) => ({ ...link, current: link.href === visit.url.pathname }));
  return {
    nav: builtInIdentity ? [...nav, tokens] : nav,
    corner: html`<form method="post" action="/account/sign-out">${formToken(visit)}
      <button class="link">Sign out</button></form>`,
  };
}
