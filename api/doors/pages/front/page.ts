import { html } from "../../../../shared/html.ts";
import { message, page } from "../../../web/page.ts";
import type { Guest } from "../session/context.ts";
import { guestFrame } from "../session/frame.ts";

/** GET /: introduces Kept to newcomers. */
export function showFront({ site }: Guest): Response {
  const body = html`<p>Kept holds your habits and todos, and the AI agents that you connect read and change them for
    you. However often an agent repeats itself, each thing happens once, and your streaks survive travel and the days
    that you forgive yourself. You choose what each agent may do, and you can read every call that it made.</p>
    <ul class="plain">
    ${ways.map(({ href, name, text }) => html`<li class="card"><a href="${href}"><strong>${name}</strong></a><br>${text}</li>`)}
    </ul>`;
  return page(
    { ...site, home: "/" },
    { title: "Habits and todos for you and your agents", body, ...guestFrame },
  );
}

const ways = [
  { href: "/account", name: "Sign in", text: "Your day, what your agents did, and your settings." },
  {
    href: "/account/connect",
    name: "Connect an agent",
    text: "Lines to copy for Claude, Cursor, VS Code, Codex, Gemini, scripts and others.",
  },
  {
    href: "/docs",
    name: "Read the API",
    text: "Every address of the REST API, with examples.",
  },
] as const;

/** Programs call these addresses and always get errors as JSON. */
const forPrograms = /^\/(?:(?:api|mcp|health|\.well-known)(?:\/|$)|openapi\.json$|metrics$)/;

/** True for a browser that wants a page, unless the address is for programs. */
export const isForPeople = ({ headers, url }: Request): boolean =>
  headers.get("accept")?.includes("text/html") === true && !forPrograms.test(new URL(url).pathname);

/** The 404 page for people. */
export const nothingHerePage = (): Response =>
  message({ home: "/", formTargets: [] }, "Not found", "There is no page at this address.", {
    status: 404,
    link: { href: "/", label: "Go to the first page" },
  });
