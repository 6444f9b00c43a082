import { nameOfAuthor } from "../../../../shared/domain/author.ts";
import type { ResourceKind } from "../../../../shared/domain/vocabulary.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readAuthors } from "../../../queries/action/authors.ts";
import type { QueryContext } from "../../../queries/engine/context.ts";
import { actionsPath } from "./paths.ts";

/** Tells who made a thing and who changed it last, and leads to all that was done to it. */
export async function authorship(query: QueryContext, kind: ResourceKind, id: number): Promise<Html> {
  const { created_by, changed_by } = (await readAuthors(query, kind, id)) ?? {};
  return html`<p class="links"><span class="quiet">Made by ${author(created_by)}, last changed by ${author(changed_by)}.</span>
    <a href="${actionsPath}?thing=${kind}/${id}">What was done to it</a></p>`;
}

/** An app chooses its name itself, so that is quoted. */
function author(stored: string | null | undefined): Html | string {
  const name = nameOfAuthor(stored);
  return name === null ? "you" : html`<q><bdi>${name}</bdi></q>`;
}
