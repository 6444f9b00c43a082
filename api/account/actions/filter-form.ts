import type { Static } from "typebox";
import type { listTokens } from "../../../shared/contracts/action.ts";
import { contracts } from "../../../shared/contracts/catalogue.ts";
import { resourceRead } from "../../../shared/contracts/mcp-resource.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import { sayDay } from "../visit/dates.ts";
import { outcomes } from "./outcomes.ts";
import { nameOf } from "./who.ts";

type Tokens = Static<typeof listTokens.output>["tokens"];
type Choice = readonly [value: string, label: string];
type Shown = Readonly<{ chosen: URLSearchParams; tokens: Tokens; timeZone: string; today: string }>;

const tools: Choice[] = [
  ...contracts.flatMap(({ mcp }): Choice[] => (mcp ? [[mcp.name, mcp.name]] : [])),
  [resourceRead, "a resource"],
];

/** The form that narrows the list down to a token, a tool or an outcome. */
export function filterForm({ chosen, tokens, timeZone, today }: Shown): Html {
  const tokenChoices = tokens.map(({ last_called_at: at, ...token }): Choice => {
    return [token.token_id, `${nameOf(token)} (last: ${sayDay(at, timeZone, today)})`];
  });
  return html`<form method="get" action="/account/actions" class="card filters">
    ${choice("token_id", "Token or app", tokenChoices, chosen)}
    ${choice("tool", "Tool", tools, chosen)}
    ${choice("outcome", "Outcome", outcomes, chosen)}
    <div class="actions"><button class="plain">Filter</button>
    ${chosen.size > 0 && html`<a href="/account/actions">Show all</a>`}</div></form>`;
}

function choice(name: string, label: string, choices: readonly Choice[], chosen: URLSearchParams): Html {
  const current = chosen.get(name);
  return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">
    <option value="">All</option>${choices.map(
      ([value, text]) =>
        html`<option value="${value}"${value === current && html` selected`}>${text}</option>`,
    )}</select></div>`;
}
