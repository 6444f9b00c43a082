import { sql } from "kysely";
import type { LoggedAction } from "../../../shared/contracts/action/contracts.ts";
import { maxWaiting } from "../../../shared/contracts/approval/contracts.ts";
import type { ApprovalRow } from "../../../shared/db/entities.ts";
import { own, selectFrom, statement } from "../../../shared/db/reads/statement.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { ApprovalState } from "../../../shared/domain/vocabulary.ts";
import { conflict, isRefused, notFound, type Refused } from "../../../shared/errors.ts";
import type { Outcome } from "../../../shared/queue/batch.ts";
import { isObject } from "../../http/input.ts";
import { namesOf } from "../action/things.ts";
import type { QueryContext, QueryHandler } from "../engine/context.ts";

const approvals = selectFrom(own("approvals").as("a"));
const ownApproval = statement({ id: "uuid", token_id: "text" }, (value) =>
  approvals
    .select(["a.id", "a.state", "a.outcome", "a.expires_at", "a.decided_at", "a.created_at"])
    .where("a.id", "=", value("id"))
    .where("a.token_id", "=", value("token_id"))
    .where("a.token_id", "<>", sql.lit("")),
);

/** The token's own request for approval, with its present state. */
async function findApproval({ rows, token, now }: QueryContext, id: string) {
  const [found] = await rows(ownApproval({ id, token_id: token.tokenId }));
  if (!found) return undefined;
  const outcome: Outcome | undefined = found.outcome == null ? undefined : JSON.parse(found.outcome);
  return { ...found, state: stateAt(found, now), outcome };
}

/** Nobody writes that a request expired: the time says it. */
const stateAt = (
  { state, expires_at }: Pick<ApprovalRow, "state" | "expires_at">,
  now: number,
): ApprovalState => (state === "waiting" && Date.parse(timestamp(expires_at)) <= now ? "expired" : state);

export const readApproval: QueryHandler<"approval.get", Refused> = async (query, { approval_id }) => {
  const found = await findApproval(query, approval_id);
  if (!found) return notFound("Approval");
  const { id, state, outcome, decided_at, expires_at, created_at } = found;
  return {
    ...{ id, state, created_at: timestamp(created_at), expires_at: timestamp(expires_at) },
    decided_at: decided_at == null ? null : timestamp(decided_at),
    approve_at: `${query.baseUrl}/account/approvals`,
    // The operations of a group have their answers only in the answer to that request.
    answer: outcome && "body" in outcome && isObject(outcome.body) ? outcome.body : null,
  };
};

const ended: Readonly<Partial<Record<ApprovalState, Refused>>> = {
  declined: conflict("The person declined this", "do not ask again unless they want it."),
  expired: conflict("Nobody approved this in time", "ask again with a new idempotency key."),
  outdated: conflict(
    "This was not done, because its things or what this token may do changed meanwhile",
    "look at them again, and ask again with a new idempotency key.",
  ),
};

/** The present outcome of a request that waited for approval when it was sent first: its answer once it is done. */
export async function presentOutcome(query: QueryContext, outcome: Outcome): Promise<Outcome> {
  const { approval } = isRefused(outcome) ? outcome.refusal : {};
  const found = approval && (await findApproval(query, approval.id));
  if (!found || !isRefused(outcome)) return outcome;
  const { state } = found;
  const waiting = { refusal: { ...outcome.refusal, approval: { ...approval, state } } };
  return found.outcome ?? ended[state] ?? waiting;
}

const rulesOfTokens = statement({}, () => selectFrom(own("token_rules").as("r")).selectAll("r"));

/** The rules of a user's tokens, and what is left of the user's day. */
export async function readRules(query: QueryContext, today: string) {
  const found = await query.rows(rulesOfTokens({}));
  const categories = found.flatMap(({ category_id }) =>
    category_id == null ? [] : [`categories/${category_id}`],
  );
  const names = categories.length > 0 ? await namesOf(query, categories) : new Map();
  return found.map((row) => {
    const isToday = row.used_on != null && row.used_on >= today;
    const left = (most: number | null | undefined, used: number): number | null =>
      most == null ? null : Math.max(0, most - (isToday ? used : 0));
    const { category_id: id } = row;
    return {
      token_id: row.token_id,
      asks_deletions: row.asks_deletions,
      ask_above: row.ask_above ?? null,
      changes_per_day: row.changes_per_day ?? null,
      changes_left: left(row.changes_per_day, row.changes_used),
      deletions_per_day: row.deletions_per_day ?? null,
      deletions_left: left(row.deletions_per_day, row.deletions_used),
      category: id == null ? null : { id, name: names.get(`categories/${id}`) ?? null },
    };
  });
}

/** The rules of the calling token; null without any. */
export async function readOwnRules(query: QueryContext, today: string) {
  const all = await readRules(query, today);
  const own = all.find(({ token_id }) => token_id === query.token.tokenId);
  if (!own) return null;
  const { token_id: _, ...rules } = own;
  return rules;
}

const asked = approvals
  .select(["a.id", "a.token_id", "a.client_name", "a.state", "a.before", "a.after", "a.acts"])
  .select(["a.expires_at", "a.decided_at", "a.created_at"]);

const waitingNow = statement({ now: "timestamptz" }, (value) =>
  asked
    .where("a.state", "=", sql.lit("waiting"))
    .where("a.expires_at", ">", value("now"))
    .orderBy("a.created_at")
    .orderBy("a.id")
    .limit(sql.lit(maxWaiting)),
);

/** The requests that wait, the oldest first. */
export const readWaiting = (query: QueryContext) => readAsked(query, waitingNow);

const mostEnded = 20;
const endedLast = statement({ now: "timestamptz" }, (value) =>
  asked
    .where(({ eb, or }) =>
      or([eb("a.state", "<>", sql.lit("waiting")), eb("a.expires_at", "<=", value("now"))]),
    )
    .orderBy("a.created_at", "desc")
    .orderBy("a.id", "desc")
    .limit(sql.lit(mostEnded)),
);

/** The requests that ended last. */
export const readEnded = (query: QueryContext) => readAsked(query, endedLast);

const statesOf = statement({ ids: "uuid[]" }, (value) =>
  approvals.select(["a.state", "a.expires_at"]).where(({ eb, fn }) => eb("a.id", "=", fn.any(value("ids")))),
);

export async function readStates({ rows, now }: QueryContext, ids: readonly string[]) {
  const found = await rows(statesOf({ ids }));
  return found.map((row) => stateAt(row, now));
}

/** A request for approval, and its changes as those of an action. */
export type AskedChange = Awaited<ReturnType<typeof readAsked>>[number];

async function readAsked({ rows, now }: QueryContext, those: typeof endedLast) {
  const found = await rows(those({ now: new Date(now).toISOString() }));
  return found.map(({ id, token_id, client_name = null, before, after, acts, ...row }) => {
    const action: LoggedAction = {
      called_at: timestamp(row.created_at),
      ...{ request_id: id, door: "rest", token_id, client_name, tool: "" },
      ...{ arguments: "{}", outcome: "waiting", message: null, replayed: false, calls: 1, duration_ms: 0 },
      ...{ resource_kind: null, resource_id: null, resource_name: null, before, after, undone_by: null },
    };
    return {
      ...{ id, state: stateAt(row, now), expires_at: timestamp(row.expires_at) },
      decided_at: row.decided_at == null ? null : timestamp(row.decided_at),
      acts,
      action,
    };
  });
}
