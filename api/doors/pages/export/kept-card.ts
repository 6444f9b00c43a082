import type { ByteKind } from "../../../../shared/db/entities.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { QueryContext } from "../../../queries/engine/context.ts";
import { sql } from "../../../queries/engine/sql.ts";
import type { Visit } from "../session/context.ts";

/** The account's stored bytes, and the ways to free some. */
export async function keptCard({ context, query }: Visit): Promise<Html> {
  const { all, things, images, log, replies } = await readKeptBytes(query);
  const { accountMegabytes } = context.config;
  return html`<h2>How much there is</h2>
    <div class="card">
    <p>You keep ${megabytes(all)} MB${accountMegabytes > 0 && ` of ${accountMegabytes} MB`}:
      ${megabytes(things)} MB of habits, todos and categories, ${megabytes(images)} MB of what changes replaced,
      ${megabytes(log)} MB of the list of actions and ${megabytes(replies)} MB of recent answers.</p>
    <p class="quiet small">What a change replaced is kept for 30 days, so that it can be taken back; forgetting a deleted thing on
      <a href="/account/actions">Actions</a> makes room at once. Changes count here after a few, and exactly the day after.</p></div>`;
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

/** The bytes that an account keeps now: the sum, and its parts. */
type KeptBytes = Readonly<Record<"all" | Exclude<ByteKind, "growth">, number>>;

async function readKeptBytes({ own, rows }: Pick<QueryContext, "own" | "rows">): Promise<KeptBytes> {
  const found = await rows(sql<{ kind: Exclude<ByteKind, "growth">; bytes: number }>`
    select kind, sum(bytes)::float8 as bytes from ${own("byte_ledger")} l
    where kind <> 'growth' and (kind = 'things' or expires_at > now()) group by kind`);
  const kept = { all: 0, things: 0, images: 0, log: 0, replies: 0 };
  for (const { kind, bytes } of found) {
    kept[kind] = Math.max(0, bytes);
    kept.all += kept[kind];
  }
  return kept;
}
