import { listTodos } from "../../../../shared/contracts/todo/queries.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { validate } from "../../../http/input.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { orStopped } from "../../../queries/engine/search.ts";
import { readHabitPage } from "../../../queries/habit/week.ts";
import { readTodoPage } from "../../../queries/todo/groups.ts";
import { chosenFilters, filterInput } from "../kit/lists.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";

/** A person who sees more refines the words. */
const mostOfKind = 8;

/** GET /account/find?q=…: habits and todos with these words. Scripts show the list below what is typed. */
export async function showFound(visit: Visit): Promise<PageAnswer> {
  const { context, session, url } = visit;
  const chosen = chosenFilters(url, ["q"]);
  const validated = validate(listTodos, Object.fromEntries(chosen));
  if (isRefused(validated)) return validated;
  const { q } = validated.input;
  const query = context.query({ userId: session.sub }, { standbyMayAnswer: true });
  const found =
    q === undefined
      ? []
      : await orStopped(
          "q",
          query.inTurn((own) => readFound(own, q), true),
        );
  if (!Array.isArray(found)) return found;
  const body = html`<form method="get" action="/account/find" role="search">
    ${filterInput("search", { name: "q", label: "Words" }, chosen)}<button class="plain">Find</button></form>
    <ul class="plain" id="found">${found}</ul>
    ${q !== undefined && found.length === 0 && html`<p class="empty">Nothing found for “${q}”.</p>`}`;
  return accountPage(visit, { title: "Find", body });
}

async function readFound(own: QueryContext, q: string): Promise<Html[]> {
  const { today } = await readDaySettings(own);
  const { habits } = await readHabitPage(own, today, { q, page: 1 });
  const { pending, done } = await readTodoPage(own, today, { q, page: 1 });
  return [
    ...habits
      .slice(0, mostOfKind)
      .map(({ habit }) => entry(`/account/habits/${habit.id}`, habit.name, "habit")),
    ...[...pending, ...done]
      .slice(0, mostOfKind)
      .map(({ id, title, is_completed }) =>
        entry(`/account/todos/${id}`, title, is_completed ? "done todo" : "todo"),
      ),
  ];
}

const entry = (href: string, name: string, kind: string): Html =>
  html`<li><a href="${href}"><bdi>${name}</bdi> <span class="quiet small">${kind}</span></a></li>`;
