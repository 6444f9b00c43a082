import type { Static } from "typebox";
import type { listTokens } from "../../../shared/contracts/action.ts";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { resourceRead } from "../../../shared/contracts/mcp-resource.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import { sayDay } from "../visit/dates.ts";
import { shownKinds } from "./filters.ts";
import { outcomes } from "./outcomes.ts";
import { nameOf } from "./who.ts";

type Tokens = Static<typeof listTokens.output>["tokens"];
type Choice = readonly [value: string, label: string];
type Shown = Readonly<{ chosen: URLSearchParams; tokens: Tokens; timeZone: string; today: string }>;

const doorChoices: Choice[] = [
  ["mcp", "Agents (MCP)"],
  ["rest", "Scripts (REST)"],
  ["page", "Pages"],
];

/** Tools by their names, and what scripts and pages do by those of their commands. */
const tools: Choice[] = [
  ...contracts.flatMap(({ mcp }): Choice[] => (mcp ? [[mcp.name, mcp.name]] : [])),
  [resourceRead, "a resource"],
  ...contracts.flatMap(({ kind, name, rest }): Choice[] =>
    kind === "command" && (rest || name === "action.undo") ? [[name, name]] : [],
  ),
];

const lesserFilters = ["token_id", "tool", "door", "outcome"];

/** The form that narrows the list down; what is seldom needed is folded unless it is chosen. */
export function filterForm({ chosen, tokens, timeZone, today }: Shown): Html {
  // What came with no token was done on the pages, which is a way.
  const tokenChoices = tokens.flatMap(({ last_called_at: at, ...token }): Choice[] =>
    token.token_id === ""
      ? []
      : [[token.token_id, `${nameOf(token)} (last: ${sayDay(at, timeZone, today)})`]],
  );
  const isOpen = lesserFilters.some((name) => chosen.has(name));
  return html`<form method="get" action="/account/actions" class="card">
    <div class="filters">${textField("search", { name: "q", label: "Search" }, chosen)}
    ${choice({ name: "show", label: "Show" }, shownKinds, chosen, "Changes and refusals")}
    ${textField("date", { name: "from", label: "From" }, chosen)}${textField("date", { name: "to", label: "To" }, chosen)}</div>
    <details${isOpen && html` open`}><summary class="small">By token, tool, way and outcome</summary>
    <div class="filters">${choice({ name: "token_id", label: "Token or app" }, tokenChoices, chosen)}
    ${choice({ name: "tool", label: "Tool" }, tools, chosen)}${choice({ name: "door", label: "Way" }, doorChoices, chosen)}
    ${choice({ name: "outcome", label: "Outcome" }, outcomes, chosen)}</div></details>
    <div class="actions"><button class="plain">Filter</button>
    ${chosen.size > 0 && html`<a href="/account/actions">Show all</a>`}</div></form>`;
}

type Field = Readonly<{ name: string; label: string }>;

const textField = (type: "search" | "date", { name, label }: Field, chosen: URLSearchParams): Html =>
  html`<div class="${type}"><label for="${name}">${label}</label>
    <input type="${type}" id="${name}" name="${name}" value="${chosen.get(name) ?? ""}" maxlength="255"></div>`;

/** @param usual what is meant by no choice */
function choice(
  { name, label }: Field,
  choices: readonly Choice[],
  chosen: URLSearchParams,
  usual = "All",
): Html {
  const current = chosen.get(name);
  return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">
    <option value="">${usual}</option>${choices.map(
      ([value, text]) =>
        html`<option value="${value}"${value === current && html` selected`}>${text}</option>`,
    )}</select></div>`;
}
