import { type LoggedAction, listActions } from "../../../../shared/contracts/action/contracts.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { validate } from "../../../http/input/validate.ts";
import { readActionInTurn } from "../../../queries/action/undone.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { formToken } from "../../../web/form/form.ts";
import { changedThings } from "../action/words/changed-things.ts";
import { sayDate } from "../kit/dates.ts";
import type { Visit } from "../session/context.ts";
import { hereWithoutNotes } from "../session/go-on.ts";
import { addedWords } from "./added-words.ts";
import { lateNotice } from "./late-notice.ts";
import { type Note, noteParameter, parseNote, resultNotes, verbs } from "./note-address.ts";

/**
 * The result of the last act (`?tick=…`), always in view. The empty element stays on the page, because screen readers
 * announce only changes within an element that they know.
 */
export async function tickNotice(visit: Visit): Promise<Html> {
  return html`<div id="notice" class="toast" role="status" data-part>${await content(visit)}</div>`;
}

async function content(visit: Visit): Promise<Html | null> {
  const text = visit.url.searchParams.get(noteParameter) ?? "";
  const [kind, ...rest] = text.split("_");
  if (kind === "late") return lateNotice(visit, rest);
  const said = kind === "told" && resultNotes.get(rest.join("_"));
  if (said) return note(visit, html`<p>${said}</p>`);
  const last = parseNote(text.replace(earlier, ""));
  return last ? undoNotice(visit, last, earlier.test(text)) : null;
}

/** Before the note of an act that was done before the one just undone. */
const earlier = /^back_/;

const note = ({ url }: Visit, content: Html): Html =>
  html`<div class="note spread">${content}<a class="close" href="${hereWithoutNotes({ url })}" aria-label="Close">×</a></div>`;

/** Offers to undo an act while it stands. Scripts remember earlier ones, and the offer follows them back. */
async function undoNotice(visit: Visit, { verb, key }: Note, isEarlier: boolean): Promise<Html | null> {
  if (isRefused(validate(listActions, { cursor: `${key.called_at}_${key.request_id}` }))) return null;
  const { query } = visit;
  const action = await readActionInTurn(query, key);
  const isOver = !action || action.undone_by !== null || action.door !== "page";
  if (isOver) return isEarlier ? note(visit, html`<p>${resultNotes.get("undone")}</p>`) : null;
  const { resource_kind: kind, resource_id: id, resource_name: name } = action;
  const what = name ?? `${changedThings(action).length} at once`;
  return note(
    visit,
    html`<p>${isEarlier && "Taken back. Before it: "}${verbs.get(verb)}: <strong>${what}</strong></p>
    ${verb === "done" && id !== null && (await againWords(query, action))}
    ${verb === "made" && !isEarlier && (await addedWords(query, action))}
    <form method="post" action="/account/tick/undo" data-stay>${formToken(visit, { ...key, next: id && `${kind}-${id}`, from: hereWithoutNotes(visit) })}
    <button class="link">Undo</button></form>`,
  );
}

/** A repeating todo says when it comes again. */
async function againWords(query: QueryContext, action: LoggedAction): Promise<Html | null> {
  const next = changedThings(action).find(({ kind, before }) => kind === "todo" && before === undefined);
  const date = next?.after?.due_date;
  if (typeof date !== "string") return null;
  const { today } = await readDaySettings(query);
  return html`<p class="quiet small">It comes again: ${sayDate(date, today.date)}</p>`;
}
