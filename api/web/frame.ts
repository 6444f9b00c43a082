import { html } from "../../shared/html.ts";
import type { Config } from "../../shared/process/config.ts";
import { formToken } from "./form/form.ts";
import type { Layout, NavLink } from "./page.ts";
import type { FormRequest } from "./site.ts";

/** A link of the navigation, and the addresses at and below which it is the current one. */
type Section = Readonly<{
  label: string;
  path: string;
  covers: readonly string[];
  hasNews?: true;
  /** True for pages of the built-in provider. */
  isOfProvider?: true;
}>;

/** Today is current at its own address only, because all other account pages lie below it. */
const sections: readonly Section[] = [
  { label: "Today", path: "/account", covers: [] },
  { label: "Todos", path: "/account/todos", covers: ["/account/todos"] },
  { label: "Habits", path: "/account/habits", covers: ["/account/habits"] },
  {
    label: "Actions",
    path: "/account/actions",
    covers: ["/account/actions", "/account/approvals", "/account/agents"],
    hasNews: true,
  },
  { label: "Tokens", isOfProvider: true, path: "/profile/api-tokens", covers: ["/profile/api-tokens"] },
  {
    label: "Settings",
    path: "/account/settings",
    covers: ["/account/settings", "/account/data", "/account/webhooks", "/account/journal", "/profile"],
  },
];

/** The navigation and the sign-out button of a page. @param news the number of new things on Actions */
export function frame(
  visit: Pick<FormRequest, "request" | "site" | "holder" | "url">,
  { builtInIdentity }: Pick<Config, "builtInIdentity">,
  news?: number,
): Pick<Layout, "nav" | "corner"> {
  const offered = sections.filter((section) => builtInIdentity || !section.isOfProvider);
  const here = offered.find((section) => isIn(section, visit.url.pathname));
  const nav = offered.map((section): NavLink => {
    const isHere = section.path === visit.url.pathname;
    const count = section.hasNews && news && (isHere ? 0 : news);
    const link = { href: section.path, label: section.label, news: count };
    if (section !== here) return link;
    return { ...link, current: isHere ? "page" : "true" };
  });
  const corner = html`<form method="post" action="/account/sign-out">${formToken(visit)}
      <button class="link">Sign out</button></form>`;
  return { nav, corner };
}

const isIn = ({ path, covers }: Section, pathname: string): boolean =>
  pathname === path || covers.some((top) => `${pathname}/`.startsWith(`${top}/`));
