import { html } from "../../shared/html.ts";
import type { Config } from "../../shared/process/config.ts";
import { formToken } from "./form/form.ts";
import { type IconName, icon } from "./icons.ts";
import type { Layout, NavLink } from "./page.ts";
import type { FormRequest } from "./site.ts";

/** A link of the navigation. It is the current one at and below its path and the others that it covers. */
type Section = Readonly<{
  label: string;
  icon: IconName;
  path: string;
  covers?: readonly string[];
  hasNews?: true;
  /** True for pages of the built-in provider. */
  isOfProvider?: true;
  /** True for what is below the pages of every day. */
  isFurther?: true;
}>;

const sections: readonly Section[] = [
  { label: "Today", icon: "today", path: "/account" },
  { label: "Todos", icon: "todos", path: "/account/todos" },
  { label: "Habits", icon: "habits", path: "/account/habits" },
  {
    label: "Activity",
    icon: "activity",
    path: "/account/actions",
    covers: ["/account/approvals", "/account/agents"],
    hasNews: true,
  },
  { label: "Connect an agent", icon: "plug", path: "/account/connect", isFurther: true },
  { label: "Tokens", icon: "key", path: "/profile/api-tokens", isFurther: true, isOfProvider: true },
  {
    label: "Settings",
    icon: "settings",
    isFurther: true,
    path: "/account/settings",
    covers: ["/account/data", "/account/webhooks", "/account/journal", "/profile"],
  },
];

/** The navigation and the sign-out button of a page. @param news the number of new things on Activity */
export function frame(
  visit: Pick<FormRequest, "request" | "site" | "holder" | "url">,
  { builtInIdentity }: Pick<Config, "builtInIdentity">,
  news?: number,
): Pick<Layout, "nav" | "corner"> {
  const offered = sections.filter((section) => builtInIdentity || !section.isOfProvider);
  const here = offered.find((section) => isIn(section, visit.url.pathname));
  const linkTo = (section: Section): NavLink => {
    const isHere = section.path === visit.url.pathname;
    const count = section.hasNews && news && (isHere ? 0 : news);
    const link = { href: section.path, label: section.label, icon: section.icon, news: count };
    if (section !== here) return link;
    return { ...link, current: isHere ? "page" : "true" };
  };
  const main = offered.filter(({ isFurther }) => !isFurther).map(linkTo);
  const more = offered.filter(({ isFurther }) => isFurther).map(linkTo);
  const corner = html`<form method="post" action="/account/sign-out">${formToken(visit)}
      <button class="link">${icon("leave")}<span class="label">Sign out</span></button></form>`;
  return { nav: { main, more }, corner };
}

/** Today is current at its own address only, because all other account pages lie below it. */
const isIn = ({ path, covers = [] }: Section, pathname: string): boolean =>
  path === "/account"
    ? pathname === path
    : [path, ...covers].some((top) => `${pathname}/`.startsWith(`${top}/`));
