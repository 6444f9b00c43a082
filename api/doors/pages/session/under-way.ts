import { type Html, html } from "../../../../shared/html.ts";
import type { OpenWork } from "../../../queries/user/works.ts";

const sentences: Readonly<Record<string, string>> = {
  "user.configure": "Your reminders are moving to your time zone",
  "action.undo": "The members of a category are coming back",
  "action.undo-run": "Changes are being taken back",
  "category.delete": "A deleted category is being taken from its todos",
};

/** The progress of long work, which goes on even if nobody looks. */
export const underWay = (works: readonly OpenWork[]): Html[] =>
  works.map(({ name, done, total }) => {
    const sentence = sentences[name] ?? "Something that you asked for is under way";
    return html`<p class="note" role="status">${sentence}: ${done.toLocaleString("en")} of
      ${total.toLocaleString("en")} are done.</p>`;
  });
