import { html } from "../../shared/html.ts";
import type { Config } from "../../shared/process/config.ts";
import { formToken } from "./form/form.ts";
import type { Layout, NavLink } from "./layout.ts";
import type { FormRequest } from "./site.ts";

/** A link of the navigation, and the addresses at and below which it is the current one. */
type Section = Readonly<{
  label: string;
  port: "service" | "provider";
  path: string;
  covers: readonly string[];
  hasNews?: true;
}>;

/** Today is current at its own address only, because all other account pages lie below it. */
const sections: readonly Section[] = [
  { label: "Today", port: "service", path: "/account", covers: [] },
  { label: "Todos", port: "service", path: "/account/todos", covers: ["/account/todos"] },
  { label: "Habits", port: "service", path: "/account/habits", covers: ["/account/habits"] },
  {
    label: "Actions",
    port: "service",
    path: "/account/actions",
    covers: ["/account/actions", "/account/approvals", "/account/agents"],
    hasNews: true,
  },
  { label: "Tokens", port: "provider", path: "/profile/api-tokens", covers: ["/profile/api-tokens"] },
  {
    label: "Settings",
    port: "service",
    path: "/account/settings",
    covers: ["/account/settings", "/account/data", "/account/webhooks", "/account/journal", "/profile"],
  },
];

type FrameOptions = Readonly<{
  config: Pick<Config, "baseUrl" | "authUrl" | "builtInIdentity">;
  /** The port of the page; links to the other port have a full address. */
  port: Section["port"];
  signOutPath: string;
  /** The number of new things on Actions, which itself marks them. */
  news?: number;
}>;

/** The frame of every signed-in page of both ports: navigation and a button that signs out. */
export function frame(
  visit: Pick<FormRequest, "site" | "holder" | "url">,
  { config, port, signOutPath, news }: FrameOptions,
): Pick<Layout, "nav" | "corner"> {
  const origins = { service: config.baseUrl, provider: config.authUrl };
  const offered = sections.filter((section) => section.port === "service" || config.builtInIdentity);
  const here = offered.find((section) => isIn(section, visit.url.pathname));
  const nav = offered.map((section): NavLink => {
    const href = `${section.port === port ? "" : origins[section.port]}${section.path}`;
    const isHere = section.path === visit.url.pathname;
    const link = { href, label: section.label, news: section.hasNews && news && (isHere ? 0 : news) };
    if (section !== here) return link;
    return { ...link, current: isHere ? "page" : "true" };
  });
  const corner = html`<form method="post" action="${signOutPath}">${formToken(visit)}
      <button class="link">Sign out</button></form>`;
  return { nav, corner };
}

const isIn = ({ path, covers }: Section, pathname: string): boolean =>
  pathname === path || covers.some((top) => `${pathname}/`.startsWith(`${top}/`));
