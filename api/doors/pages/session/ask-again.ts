import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readHabit } from "../../../queries/habit/read.ts";
import { readTodo } from "../../../queries/todo/read.ts";
import { formToken, hiddenFields } from "../../../web/form/form.ts";
import type { Visit } from "./context.ts";
import { accountPage } from "./frame.ts";

/** A sent form and its address. */
export type SentForm = Readonly<{ path: string; form: URLSearchParams }>;

/** Shows a form that was not carried out, and carries it out when the person confirms. */
export async function askAgain(visit: Visit, sent: SentForm): Promise<Response> {
  const asked = await sayAsked(visit, sent);
  const body = html`<div class="note warn" role="status"><p>Nothing was done yet: the page from which you sent this was
    too old, or you had to sign in again. It is all here.</p></div>
    ${asked && html`<p>Go on with: <strong>${asked}</strong>?</p>`}${sentText(sent.form)}
    <form method="post" action="${sent.path}" class="actions">${formToken(visit)}${hiddenFields(sent.form, "csrf")}
    <button>Go on</button> <a href="/account">Leave it</a></form>`;
  return accountPage(visit, { title: "Go on?", body }, { status: 409 });
}

/** Visible fields only, no ids. */
export function sentText(form: URLSearchParams): Html | false {
  const typed = [...form].filter(([name, value]) => value.trim() !== "" && !isForUs.test(name));
  const facts = typed.map(
    ([name, value]) => html`<dt>${name.replaceAll("_", " ")}</dt><dd><pre class="lines">${value}</pre></dd>`,
  );
  return facts.length > 0 && html`<dl class="facts card">${facts}</dl>`;
}

const isForUs =
  /^(csrf|key|tag|base|from|next|day|at|done|called_at|(habit|todo|delivery|request|token|import)_id)$/;

/** The action of a form, for forms whose text does not tell it. */
async function sayAsked(visit: Visit, { path, form }: SentForm): Promise<string | undefined> {
  const [, kind, id] = /^\/account\/(habit|todo)s\/(\d{1,15})/.exec(path) ?? thingIn(form);
  const name =
    id === undefined ? undefined : await nameOf(visit, kind === "habit" ? "habit" : "todo", Number(id));
  const verb = path === "/account/tick" ? (form.get("done") === "yes" ? "Done" : "Undo") : verbIn(path);
  if (verb === undefined) return name;
  return name === undefined ? verb : `${verb}: ${name}`;
}

const thingIn = (form: URLSearchParams): readonly (string | undefined)[] => {
  const kind = form.has("habit_id") ? "habit" : "todo";
  return ["", kind, /^\d{1,15}$/.exec(form.get(`${kind}_id`) ?? "")?.[0]];
};

const verbs = new Map([
  ["delete", "Delete"],
  ["undo", "Take back"],
  ["run", "Take it all back"],
  ["forget", "Forget for good"],
  ["sign-out", "Sign out"],
]);

const verbIn = (path: string): string | undefined => verbs.get(/[^/?]+(?=\?|$)/.exec(path)?.[0] ?? "");

async function nameOf({ query }: Visit, kind: "habit" | "todo", id: number): Promise<string | undefined> {
  if (kind === "habit") {
    const habit = await query.inTurn((own) => readHabit(own, { habit_id: id }));
    return isRefused(habit) ? undefined : habit.name;
  }
  const todo = await query.inTurn((own) => readTodo(own, { todo_id: id }));
  return isRefused(todo) ? undefined : todo.title;
}
