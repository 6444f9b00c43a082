import type { Static } from "typebox";
import { commands } from "../../../../shared/contracts/catalogue.ts";
import type { applyImport } from "../../../../shared/contracts/import/contracts.ts";
import { allScopes } from "../../../../shared/contracts/kernel/scopes.ts";
import { isRefused, type Refused, refuse } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { Outcome } from "../../../../shared/queue/batch.ts";
import { senderOf } from "../../../http/request.ts";
import { perform } from "../../../perform.ts";
import { readDaySettings } from "../../../queries/engine/context.ts";
import { readWhatIsHere } from "../../../queries/import/read.ts";
import { type OpenWork, readWork } from "../../../queries/user/read.ts";
import { formToken } from "../../../web/form/form.ts";
import { takeUpload, type Upload } from "../../../web/form/upload.ts";
import { message } from "../../../web/page.ts";
import { seeOther } from "../../../web/redirect.ts";
import { countInWords } from "../kit/words.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage, refusalPage } from "../session/frame.ts";
import { submit } from "../session/submit.ts";
import { type ReadImport, readApart } from "./apart/read-apart.ts";
import type { Part } from "./parts.ts";
import type { Left } from "./readers/found.ts";

/** Reading a file may take a processor for seconds. */
export const uploadsPerHour = 30;

const tooMany = refuse("rate_limited", `An hour takes ${uploadsPerHour} uploads. Please try again later.`, {
  retryAfterSeconds: 3_600,
});

/** POST /account/data/import: previews the files' things, and keeps them until their person confirms. */
export const uploadFiles = takeUpload<Visit>({
  async refused({ context, session }) {
    const allowance = await context.uploadLimit(session.sub);
    return allowance?.allowed === false ? refusalPage(context, tooMany.refusal) : undefined;
  },
  act: previewFiles,
});

async function previewFiles(visit: Visit, { files }: Upload): Promise<Response> {
  const { context, query } = visit;
  const { today } = await readDaySettings(query);
  const read = await readApart({ files, today }, (things) => readWhatIsHere(query, things));
  if (typeof read === "string")
    return message(context.site, "That did not work", read, { status: 422, link: back });
  if (read.parts.length === 0) return previewPage(visit, read, undefined);
  const staged = await stageParts(visit, read.parts);
  return isRefused(staged) ? refusalPage(context, staged.refusal) : previewPage(visit, read, staged);
}

const back = { href: "/account/data", label: "Back to your data" };

type StagedImport = Readonly<{ import_id: string; parts: number }>;

/** Stores the things of a file, part after part, until its person confirms. */
async function stageParts(visit: Visit, parts: readonly Part[]): Promise<StagedImport | Refused> {
  const import_id = crypto.randomUUID();
  for (const [part, things] of parts.entries()) {
    const outcome = await submit(visit, "import.stage", { import_id, part, ...things });
    if (isRefused(outcome)) return outcome;
  }
  return { import_id, parts: parts.length };
}

const longestShown = 80;
const short = (name: string): string =>
  name.length > longestShown ? `${name.slice(0, longestShown)}…` : name;

/** The preview: things to import, things left out with reasons, and a button that imports. */
function previewPage(visit: Visit, plan: ReadImport, staged: StagedImport | undefined): Promise<Response> {
  const body = html`${staged ? whatComes(visit, plan, staged) : nothingComes(plan)}
    ${plan.leftCount > 0 && whatStays(plan)}
    <p><a href="/account/data">Back to your data</a></p>`;
  return accountPage(visit, { title: "Preview", body });
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
  return html`<div class="card"><ul>
    ${habits.count > 0 && line(countInWords(habits.count, "habit"), habits)}
    ${completions > 0 && html`<li><strong>${countInWords(completions, "completion")}</strong></li>`}
    ${todos.count > 0 && line(`${countInWords(todos.count, "todo")}${done > 0 ? `, ${done} of them done` : ""}`, todos)}
    ${categories.count > 0 && line(countInWords(categories.count, "category"), categories)}</ul>
    ${
      here > 0 &&
      html`<p>${countInWords(here, "thing")} of this file ${here === 1 ? "is" : "are"} here already and
      ${here === 1 ? "stays" : "stay"} as ${here === 1 ? "it is" : "they are"}; habits get the days that they lack.</p>`
    }
    ${
      later > 0 &&
      html`<p><strong>This is the first part of it:</strong> ${countInWords(later, "thing")} more than one import
      takes. Choose the same files again afterwards, and the next part comes.</p>`
    }
    <p class="quiet small">A category of a name that you already have is that one. All of it comes, even if you leave the page;
      afterwards it can be taken back under <a href="/account/actions">Activity</a>.</p>
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
    <ul>${left.map(leftLine)}</ul>${more}`;
}

const leftLine = ({ name, why }: Left): Html =>
  html`<li>${name !== "" && html`<strong>${short(name)}</strong>: `}${why}</li>`;

type Imported = Static<typeof applyImport.output>;
const applyPath = "/account/data/import/apply";

/**
 * POST /account/data/import/apply: makes the previewed things. The import is its own idempotency key, so sending it
 * again after any answer only shows the result.
 */
export async function applyStaged(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const { context, session } = visit;
  const [import_id, parts] = [form.get("import_id") ?? "", Number(form.get("parts"))];
  const actor = { userId: session.sub, scopes: allScopes };
  const { outcome } = await perform(context, {
    ...{ contract: commands["import.apply"], actor },
    by: senderOf(visit.request, "page", actor),
    content: () => ({ fields: { import_id, parts }, idempotencyKey: `import ${import_id}`.slice(0, 255) }),
  });
  if (!isRefused(outcome)) {
    const imported = outcome.body as Imported;
    return imported.work_id === null
      ? donePage(visit, imported)
      : seeOther(`${applyPath}?work=${imported.work_id}`);
  }
  const { code, applied } = outcome.refusal;
  if (code === "overloaded" && applied === "unknown") return busyPage(visit, { import_id, parts });
  return outcome;
}

/** GET /account/data/import/apply?work=…: the progress of an import in several steps, then its result. */
export async function showImport(visit: Visit): Promise<PageAnswer> {
  const { url, query } = visit;
  const work = await query.inTurn((own) => readWork(own, url.searchParams.get("work") ?? ""));
  if (isRefused(work)) return work;
  if (!work) return seeOther("/account/data");
  if (work.ended_at === null) return progressPage(visit, work);
  const outcome: Outcome = JSON.parse(work.outcome ?? "{}");
  return "body" in outcome ? donePage(visit, outcome.body as Imported) : stoppedPage(visit);
}

function progressPage(visit: Visit, { done, total }: OpenWork): Promise<Response> {
  const body = html`<div class="note" role="status"><p>${done} of ${total} things are here.</p>
    <p><progress max="${total}" value="${done}" aria-label="Imported"></progress></p></div>
    <p>This goes on by itself, also when you leave this page. <a href="${applyPath}${visit.url.search}">Look again</a></p>`;
  // Browsers reload the page while there is progress to show.
  return accountPage(visit, { title: "It is coming", body }, { headers: { Refresh: "2" } });
}

function donePage(visit: Visit, imported: Imported): Promise<Response> {
  const { habits, completions, todos, categories } = imported;
  const body = html`<p class="note" role="status">Imported ${countInWords(habits, "habit")} with ${countInWords(completions, "completion")}, ${countInWords(todos, "todo")} and ${countInWords(categories, "category")}.</p>
    <p><a href="/account">Look at today</a></p>
    <p>If it is not what you wanted, take it back under <a href="/account/actions">Activity</a>.</p>`;
  return accountPage(visit, { title: "It is here", body });
}

function stoppedPage(visit: Visit): Promise<Response> {
  const body = html`<p class="note bad" role="alert">A fault of the service stopped this import. Choose the files again for
    the rest, or take back what came under <a href="/account/actions">Activity</a>.</p>
    <p><a href="/account/data">Back to your data</a></p>`;
  return accountPage(visit, { title: "Not all of it came", body });
}

/** The worker may still be busy; asking again makes nothing twice. */
function busyPage(visit: Visit, staged: StagedImport): Promise<Response> {
  const body = html`<p class="note warn" role="status">This takes longer than usual. Ask again in a moment; nothing comes
    twice.</p>
    <form method="post" action="${applyPath}">${formToken(visit, staged)}
    <button>Ask again</button></form>`;
  const options = { status: 503, headers: { "Retry-After": "2" } };
  return accountPage(visit, { title: "Still under way", body }, options);
}
