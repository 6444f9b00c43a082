import type { ByteKind } from "../../../shared/db/entities.ts";
import type { QueryContext } from "../engine/context.ts";
import { sql } from "../engine/sql.ts";

/** The bytes that an account keeps now: the sum, and its parts. */
type KeptBytes = Readonly<Record<"all" | Exclude<ByteKind, "growth">, number>>;

export async function readKeptBytes({ own, rows }: Pick<QueryContext, "own" | "rows">): Promise<KeptBytes> {
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
