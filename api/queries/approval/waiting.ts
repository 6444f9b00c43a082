import type { LoggedAction } from "../../../shared/contracts/action/contracts.ts";
import { maxWaiting } from "../../../shared/contracts/approval/contracts.ts";
import type { ApprovalRow } from "../../../shared/db/entities.ts";
import { literal, type Sql, sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { ApprovalState } from "../../../shared/domain/vocabulary.ts";
import type { QueryContext } from "../engine/context.ts";
import { stateAt } from "./read.ts";

/** A request for approval, and its changes as those of an action. */
export type AskedChange = Readonly<{
  id: string;
  state: ApprovalState;
  expires_at: string;
  decided_at: string | null;
  action: LoggedAction;
}>;

/** The requests that wait, the oldest first. */
export const readWaiting = (query: QueryContext): Promise<AskedChange[]> =>
  readAsked(
    query,
    sql`a.state = 'waiting' and a.expires_at > to_timestamp(${query.now} / 1000.0)
      order by a.created_at, a.id limit ${literal(maxWaiting)}`,
  );

const mostEnded = 20;

/** The requests that ended last. */
export const readEnded = (query: QueryContext): Promise<AskedChange[]> =>
  readAsked(
    query,
    sql`a.state <> 'waiting' or a.expires_at <= to_timestamp(${query.now} / 1000.0)
      order by a.created_at desc, a.id desc limit ${literal(mostEnded)}`,
  );

/** The present states of some requests. */
export async function readStates(
  { own, rows, now }: QueryContext,
  ids: readonly string[],
): Promise<ApprovalState[]> {
  const found = await rows(sql<Pick<ApprovalRow, "state" | "expires_at">>`
    select a.state, a.expires_at from ${own("approvals")} a where a.id = any(${ids}::uuid[])`);
  return found.map((row) => stateAt(row, now));
}

type StoredAsked = Omit<ApprovalRow, "user_id" | "request" | "rests_on" | "outcome">;

async function readAsked({ own, rows, now }: QueryContext, condition: Sql): Promise<AskedChange[]> {
  const found = await rows(sql<StoredAsked>`
    select a.id, a.token_id, a.client_name, a.state, a.before, a.after, a.expires_at, a.decided_at, a.created_at
    from ${own("approvals")} a where ${condition}`);
  return found.map((row) => ({
    id: row.id,
    state: stateAt(row, now),
    expires_at: timestamp(row.expires_at),
    decided_at: row.decided_at == null ? null : timestamp(row.decided_at),
    action: asAction(row),
  }));
}

const asAction = ({
  id,
  token_id,
  client_name = null,
  before,
  after,
  created_at,
}: StoredAsked): LoggedAction => ({
  ...{ request_id: id, called_at: timestamp(created_at), door: "rest", token_id, client_name, tool: "" },
  ...{ arguments: "{}", outcome: "waiting", message: null, replayed: false, calls: 1, duration_ms: 0 },
  ...{ resource_kind: null, resource_id: null, resource_name: null, before, after, undone_by: null },
});
