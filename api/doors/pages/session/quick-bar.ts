import { longestLine } from "../../../../shared/domain/todo/quick-add-words.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import type { Visit } from "./context.ts";
import { hereWithoutNotes } from "./go-on.ts";

export const addPath = "/account/add";

/** The pages that add something pass on the page from which the person first came. */
const adding = [addPath, "/account/todos/new", "/account/habits/new"];

/** The line on every page that adds a todo or habit in words. The next page says what was read, with an undo. */
export function quickBar(visit: Visit): Html {
  const { url } = visit;
  const isAdding = adding.includes(url.pathname);
  const page = isAdding ? url.searchParams.get("from") : hereWithoutNotes({ url });
  const line = isAdding ? (url.searchParams.get("line") ?? "") : "";
  return html`<form method="post" action="${addPath}" class="quick" data-stay>${formToken(visit, { key: crypto.randomUUID(), from: page === "/account" ? null : page })}
    <label class="unseen" for="quick-line">Add a todo or a habit in words</label>
    <input id="quick-line" name="line" value="${line}" maxlength="${longestLine}" autocomplete="off" required
      placeholder="Add: Call Mum every Sunday at 18:00 #Family">
    <button class="plain">Add</button></form>`;
}
