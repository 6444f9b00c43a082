import { type Html, html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import { countInWords } from "../kit/dates.ts";
import type { Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";
import type { ReadImport } from "./apart/messages.ts";
import type { Left } from "./readers/found.ts";
import type { StagedImport } from "./stage.ts";

const longestShown = 80;
const short = (name: string): string =>
  name.length > longestShown ? `${name.slice(0, longestShown)}…` : name;

/** The preview: things to import, things left out with reasons, and a button that imports. */
export function previewPage(
  visit: Visit,
  plan: ReadImport,
  staged: StagedImport | undefined,
): Promise<Response> {
  const body = html`${staged ? whatComes(visit, plan, staged) : nothingComes(plan)}
    ${plan.leftCount > 0 && whatStays(plan)}
    <p><a href="/account/data">Back to your data</a></p>`;
  return accountPage(visit, { title: "What would come", body });
}

const nothingComes = ({ here, later }: ReadImport): Html => {
  if (later > 0)
    return html`<p class="note bad" role="alert">A habit of this file has more days than one import takes.</p>`;
  const why =
    here > 0
      ? "Everything in this file is here already."
      : "Kept found nothing in this file that it can import.";
  return html`<p class="note" role="status">${why}</p>`;
};

function whatComes(
  visit: Visit,
  { listed, completedTodos: done, completions, here, later }: ReadImport,
  staged: StagedImport,
): Html {
  const { categories, habits, todos } = listed;
  const withDays = completions > 0 ? ` with ${countInWords(completions, "completion")}` : "";
  return html`<div class="card"><ul class="import-found">
    ${habits.count > 0 && line(`${countInWords(habits.count, "habit")}${withDays}`, habits)}
    ${todos.count > 0 && line(`${countInWords(todos.count, "todo")}${done > 0 ? `, ${done} of them done` : ""}`, todos)}
    ${categories.count > 0 && line(categories.count === 1 ? "1 category" : `${categories.count} categories`, categories)}</ul>
    ${
      here > 0 &&
      html`<p>${countInWords(here, "thing")} of this file ${here === 1 ? "is" : "are"} here already and
      ${here === 1 ? "stays" : "stay"} as ${here === 1 ? "it is" : "they are"}.</p>`
    }
    ${
      later > 0 &&
      html`<p><strong>This is the first part of it:</strong> ${countInWords(later, "thing")} more than one import
      takes. Choose the same files again afterwards, and the next part comes.</p>`
    }
    <p class="quiet small">A category of a name that you already have is that one. All of it comes, even if you leave the page;
      afterwards it can be taken back on <a href="/account/actions">Actions</a>.</p>
    <form method="post" action="/account/data/import/apply">${formToken(visit, staged)}
    <button>Import all of this</button></form></div>`;
}

function line(what: string, { count, names }: ReadImport["listed"]["todos"]): Html {
  const more = count > names.length ? " …" : "";
  return html`<li><strong>${what}</strong>: <span class="quiet">${names.map(short).join(", ")}${more}</span></li>`;
}

function whatStays({ left, leftCount }: ReadImport): Html {
  const more =
    leftCount > left.length && html`<p class="quiet small">And ${leftCount - left.length} more.</p>`;
  return html`<h2>What does not come, or not as a whole</h2>
    <ul class="import-found">${left.map(leftLine)}</ul>${more}`;
}

const leftLine = ({ name, why }: Left): Html =>
  html`<li>${name !== "" && html`<strong>${short(name)}</strong>: `}${why}</li>`;
