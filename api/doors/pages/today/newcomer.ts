import { type Html, html } from "../../../../shared/html.ts";
import type { Visit } from "../session/context.ts";
import { addPath } from "../session/quick-bar.ts";

const firstHabits = ["habit Read every evening", "habit Run 3 times a week", "bad habit Smoking"];
const firstTodos = ["Call Mum every Sunday at 18:00", "Renew the passport in 3 weeks"];

/** The first habit, for people without one. */
export function firstHabit({ context: { config } }: Visit): Html {
  const tokens =
    config.builtInIdentity &&
    html`Scripts use the REST API with a token that
    <a href="${config.authUrl}/profile/api-tokens">you create</a>.`;
  return html`<div class="card"><p>You have no habits yet. <a href="/account/habits/new">Make your first one</a>, or begin
    with one of these:</p>${examples(firstHabits)}
    <p class="quiet small">Or <a href="/account/connect">connect an AI agent</a> to <code>${config.baseUrl}/mcp</code> and ask it
    to set one up: it leads you through the sign-in, and you choose what it may do. ${tokens}</p></div>`;
}

/** The first todo, for people who have nothing at all. */
export const firstTodo: Html = html`<div class="card"><p>Nothing is pending. Type what you have to do into the line above,
    as you would say it, for example:</p>${examples(firstTodos)}</div>`;

function examples(lines: readonly string[]): Html {
  const link = (line: string) =>
    html`<li><a href="${addPath}?${new URLSearchParams({ line }).toString()}">${line}</a></li>`;
  return html`<ul class="plain chips">${lines.map(link)}</ul>`;
}
