import type { Static } from "typebox";
import { commands } from "../../../../shared/contracts/catalogue.ts";
import type { applyImport } from "../../../../shared/contracts/import/contracts.ts";
import { allScopes } from "../../../../shared/contracts/kernel/scopes.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { html } from "../../../../shared/html.ts";
import type { Outcome } from "../../../../shared/queue/batch.ts";
import { senderOf } from "../../../http/request.ts";
import { perform } from "../../../perform.ts";
import { type OpenWork, readWork } from "../../../queries/user/read.ts";
import { formToken } from "../../../web/form/form.ts";
import { seeOther } from "../../../web/redirect.ts";
import { countInWords } from "../kit/dates.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";

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

function donePage(
  visit: Visit,
  { habits, completions, todos, categories }: Omit<Imported, "work_id">,
): Promise<Response> {
  const parts = [
    `${countInWords(habits, "habit")} with ${countInWords(completions, "completion")}`,
    countInWords(todos, "todo"),
    categories === 1 ? "1 category" : `${categories} categories`,
  ];
  const body = html`<p class="note" role="status">Imported ${parts[0]}, ${parts[1]} and ${parts[2]}.</p>
    <p><a href="/account">Look at today</a></p>
    <p>If it is not what you wanted, take it back on <a href="/account/actions">Actions</a>.</p>`;
  return accountPage(visit, { title: "It is here", body });
}

function stoppedPage(visit: Visit): Promise<Response> {
  const body = html`<p class="note bad" role="alert">A fault of the service stopped this import. Choose the files again for
    the rest, or take back what came on <a href="/account/actions">Actions</a>.</p>
    <p><a href="/account/data">Back to your data</a></p>`;
  return accountPage(visit, { title: "Not all of it came", body });
}

/** The worker may still be busy; asking again makes nothing twice. */
function busyPage(
  visit: Visit,
  { import_id, parts }: Readonly<{ import_id: string; parts: number }>,
): Promise<Response> {
  const body = html`<p class="note warn" role="status">This takes longer than usual. Ask again in a moment; nothing comes
    twice.</p>
    <form method="post" action="${applyPath}">${formToken(visit, { import_id, parts })}
    <button>Ask again</button></form>`;
  const options = { status: 503, headers: { "Retry-After": "2" } };
  return accountPage(visit, { title: "Still under way", body }, options);
}
