import type { CategoryRow, HabitRow, TodoRow } from "../../../../shared/db/entities.ts";
import { sql } from "../../../../shared/db/reads/sql.ts";
import { importer, nameOfAuthor, storedAuthor } from "../../../../shared/domain/author.ts";
import { type ResourceKind, tableOf } from "../../../../shared/domain/vocabulary.ts";
import { type Html, html } from "../../../../shared/html.ts";
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
  if (stored === storedAuthor(importer)) return "an import";
  const name = nameOfAuthor(stored);
  return name === null ? "you" : html`<q><bdi>${name}</bdi></q>`;
}

/** The maker of a thing and the last to change it, as rows have them. */
type Authors = Pick<CategoryRow | HabitRow | TodoRow, "created_by" | "changed_by">;

/** @returns undefined when the thing does not exist */
async function readAuthors(
  { own, rows }: QueryContext,
  kind: ResourceKind,
  id: number,
): Promise<Authors | undefined> {
  const [found] = await rows(
    sql<Authors>`select t.created_by, t.changed_by from ${own(tableOf[kind])} t where t.id = ${id}::bigint`,
  );
  return found;
}
