import type { Static } from "typebox";
import type { listTokens } from "../../../../../shared/contracts/action/contracts.ts";
import { contracts } from "../../../../../shared/contracts/catalogue.ts";
import { resourceRead } from "../../../../../shared/contracts/kernel/mcp-resource.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { sayDay } from "../../kit/dates.ts";
import { type FilterChoice, filterInput, filterSelect } from "../../kit/filter-fields.ts";
import { outcomes } from "../words/outcomes.ts";
import { nameOf } from "../words/who.ts";
import { shownKinds } from "./filters.ts";

type Tokens = Static<typeof listTokens.output>["tokens"];
type Shown = Readonly<{ chosen: URLSearchParams; tokens: Tokens; timeZone: string; today: string }>;

const doorChoices: FilterChoice[] = [
  ["mcp", "Agents (MCP)"],
  ["rest", "Scripts (REST)"],
  ["page", "Pages"],
];

/** Tools by their names, and what scripts and pages do by those of their commands. */
const tools: FilterChoice[] = [
  ...contracts.flatMap(({ mcp }): FilterChoice[] => (mcp ? [[mcp.name, mcp.name]] : [])),
  [resourceRead, "a resource"],
  ...contracts.flatMap(({ kind, name, rest }): FilterChoice[] =>
    kind === "command" && (rest || name === "action.undo") ? [[name, name]] : [],
  ),
];

const lesserFilters = ["token_id", "tool", "door", "outcome"];

/** The form that narrows the list down; what is seldom needed is folded unless it is chosen. */
export function filterForm({ chosen, tokens, timeZone, today }: Shown): Html {
  // What came with no token was done on the pages, which is a way.
  const tokenChoices = tokens.flatMap(({ last_called_at: at, ...token }): FilterChoice[] =>
    token.token_id === ""
      ? []
      : [[token.token_id, `${nameOf(token)} (last: ${sayDay(at, timeZone, today)})`]],
  );
  const isOpen = lesserFilters.some((name) => chosen.has(name));
  const thing = chosen.get("thing");
  return html`<form method="get" action="/account/actions" class="card">
    ${thing !== null && html`<input type="hidden" name="thing" value="${thing}">`}
    <div class="filters">${filterInput("search", { name: "q", label: "Search" }, chosen)}
    ${filterSelect({ name: "show", label: "Show" }, shownKinds, chosen, "Changes and refusals")}
    ${filterInput("date", { name: "from", label: "From" }, chosen)}${filterInput("date", { name: "to", label: "To" }, chosen)}</div>
    <details${isOpen && html` open`}><summary class="small">By token, tool, way and outcome</summary>
    <div class="filters">${filterSelect({ name: "token_id", label: "Token or app" }, tokenChoices, chosen)}
    ${filterSelect({ name: "tool", label: "Tool" }, tools, chosen)}${filterSelect({ name: "door", label: "Way" }, doorChoices, chosen)}
    ${filterSelect({ name: "outcome", label: "Outcome" }, outcomes, chosen)}</div></details>
    <div class="actions"><button class="plain">Filter</button>
    ${chosen.size > 0 && html`<a href="/account/actions">Show all</a>`}</div></form>`;
}
