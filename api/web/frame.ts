import { type Html, html } from "../../shared/html.ts";
import type { Config } from "../../shared/process/config.ts";
import { formToken } from "./form/form.ts";
import { type IconName, icon } from "./icons.ts";
import type { Layout, NavLink } from "./page.ts";
import type { FormRequest } from "./site.ts";

/** The numbers beside the links: new things of agents, open todos and habits, and the categories of todos. */
export type Numbers = Readonly<{
  news: number;
  today: number;
  todos: number;
  habits: number;
  categories: NonNullable<Layout["nav"]>["categories"];
}>;

/** A link of the navigation. It is the current one at and below its path and the others that it covers. */
type Section = Readonly<{
  label: string;
  icon: IconName;
  path: string;
  covers?: readonly string[];
  number?: "news" | "today" | "todos" | "habits";
  /** True for pages of the built-in provider. */
  isOfProvider?: true;
  /** True for what is below the pages of every day. */
  isFurther?: true;
  /** The menu beside its pages. */
  pages?: readonly Readonly<{ label: string; path: string; isOfProvider?: true }>[];
}>;

const sections: readonly Section[] = [
  { label: "Today", icon: "today", path: "/account", number: "today" },
  { label: "Upcoming", icon: "calendar", path: "/account/upcoming" },
  { label: "Todos", icon: "todos", path: "/account/todos", number: "todos" },
  { label: "Habits", icon: "habits", path: "/account/habits", number: "habits" },
  {
    label: "Activity",
    icon: "activity",
    path: "/account/actions",
    covers: ["/account/approvals", "/account/agents"],
    number: "news",
  },
  { label: "Connect an agent", icon: "plug", path: "/account/connect", isFurther: true },
  {
    label: "Settings",
    icon: "settings",
    isFurther: true,
    path: "/account/settings/day",
    covers: ["/account/settings", "/account/data", "/account/webhooks", "/account/journal", "/profile"],
    pages: [
      { label: "Day and look", path: "/account/settings/day" },
      { label: "Reminders", path: "/account/settings" },
      { label: "Tokens and apps", path: "/profile/api-tokens", isOfProvider: true },
      { label: "Webhooks", path: "/account/webhooks" },
      { label: "Your data", path: "/account/data" },
      { label: "Who can see it", path: "/account/data/access" },
      { label: "Account journal", path: "/account/journal" },
      { label: "Sign-in and account", path: "/profile", isOfProvider: true },
    ],
  },
];

/** The page of categories has the others. */
const mostCategories = 20;

/** The navigation and the sign-out button of a page. */
export function frame(
  visit: Pick<FormRequest, "request" | "site" | "holder" | "url">,
  { builtInIdentity }: Pick<Config, "builtInIdentity">,
  numbers?: Numbers,
): Pick<Layout, "nav" | "corner" | "menu"> {
  const offered = sections.filter((section) => builtInIdentity || !section.isOfProvider);
  const here = offered.find((section) => isIn(section, visit.url.pathname));
  const linkTo = (section: Section): NavLink => {
    const isHere = section.path === visit.url.pathname;
    const { path: href, label, icon, number } = section;
    const isNews = number === "news";
    const count = number && (isNews && isHere ? 0 : numbers?.[number]);
    const link = { href, label, icon, count, isNews };
    if (section !== here) return link;
    return { ...link, current: isHere ? "page" : "true" };
  };
  const main = offered.filter(({ isFurther }) => !isFurther).map(linkTo);
  const more = offered.filter(({ isFurther }) => isFurther).map(linkTo);
  const corner = html`<form method="post" action="/account/sign-out">${formToken(visit)}
      <button class="link">${icon("leave")}<span class="label">Sign out</span></button></form>`;
  const pages = here?.pages?.filter((one) => builtInIdentity || !one.isOfProvider);
  const nav = { main, more, categories: numbers?.categories.slice(0, mostCategories) ?? [] };
  return { nav, corner, menu: pages && menuOf(pages, visit.url.pathname) };
}

/** The links of a menu; the current one has the longest path above the page's own. */
function menuOf(pages: NonNullable<Section["pages"]>, pathname: string): Html {
  const above = pages.filter(({ path }) => isIn({ path }, pathname));
  const current = above.toSorted((a, b) => b.path.length - a.path.length)[0];
  return html`<nav class="sections" aria-label="Settings">${pages.map(
    (one) => html`<a href="${one.path}"${one === current && html` aria-current="page"`}>${one.label}</a>`,
  )}</nav>`;
}

/** Today is current at its own address only, because all other account pages lie below it. */
const isIn = ({ path, covers = [] }: Pick<Section, "path" | "covers">, pathname: string): boolean =>
  path === "/account"
    ? pathname === path
    : [path, ...covers].some((top) => `${pathname}/`.startsWith(`${top}/`));
