import { sql } from "kysely";
import type { InputOf, OutputOf, Queries, QueryName } from "../../../shared/contracts/catalogue.ts";
import type { Scope } from "../../../shared/contracts/kernel/scopes.ts";
import type { Database } from "../../../shared/db/orm.ts";
import { own, type Statement, selectFrom, statement } from "../../../shared/db/reads/statement.ts";
import { type Viewer, viewerAt } from "../../../shared/domain/reach.ts";
import type { ReminderChannel } from "../../../shared/domain/reminder/channels.ts";
import type { Refused } from "../../../shared/errors.ts";
import type { Turns } from "../../../shared/process/turns.ts";
import type { Allowance } from "../../http/rate-limit.ts";
import type { Requester } from "../../mailbox/actor.ts";
import { createCoalescedReads, type ReadOptions, type RunRead } from "./coalesced-reads.ts";
import { readTurns, refuseRead } from "./share.ts";

/**
 * The database as the queries of one user see it. Statements name no table but the user's `own` rows, so they cannot
 * forget whose rows they read.
 */
type GuardedRows = Readonly<{
  rows<Row extends object>(statement: Statement<Row>): Promise<Row[]>;
}>;

export type QueryDatabase = Readonly<{ run: RunRead }>;

/** All reads of a process share one of these, so that they can be coalesced. */
export const openQueryDatabase = ({ pool }: Pick<Database, "pool">): QueryDatabase => ({
  run: createCoalescedReads(pool),
});

/** The owner of the calendar feed with this hash: the one read before the user is known, so it counts as the network's. */
export async function feedOwner(
  { run }: Pick<QueryDatabase, "run">,
  secretHash: string,
  network: string,
): Promise<string | undefined> {
  const statement = { text: "select feed_owner($1) as user_id", values: [secretHash] };
  const [feed] = await run<{ user_id: string | null }>(network, statement);
  return feed?.user_id ?? undefined;
}

const guardRows = ({ run }: QueryDatabase, userId: string, options?: ReadOptions): GuardedRows => ({
  rows: (statement) => run(userId, statement.of(userId), options),
});

type Settings = Readonly<{
  /** Time in epoch ms. */
  now: number;
  defaultTimeZone: string;
  baseUrl: string;
}>;

/** The rights of a request's token, as far as its caller may know them. */
type CallingToken = Readonly<{
  scopes: readonly Scope[];
  clientName: string | null;
  tokenId: string;
  allowance: Allowance | undefined;
}>;

/** One user's rows and the moment at which they are read: all that a query works with. */
export type QueryContext = GuardedRows &
  Settings &
  Readonly<{
    token: CallingToken;
    /** Runs a read when it is the user's turn. Each statement of a search travels alone. */
    inTurn<Result>(read: Read<Result>, isSearch?: boolean): Promise<Result | Refused>;
    /**
     * Reads one step of a file. It waits longer for its turn, because a download should not fail for a busy moment.
     * @throws Error when the turn never came
     */
    stepInTurn<Result>(read: Read<Result>, isSearch?: boolean): Promise<Result>;
  }>;

type Read<Result> = (query: QueryContext) => Promise<Result>;

const patienceOfStepMs = 10_000;
const giveUp = (): never => {
  throw new Error("It was never the user's turn to read on.");
};

type QuerySource = Settings &
  Readonly<{
    db: QueryDatabase;
    /** Absent when a page asks for its own visitor. */
    token?: CallingToken;
    userId: string;
    /** Limits a user's simultaneous reads; without it no read waits. */
    share?: Readonly<Record<"reads" | "searches", Turns>>;
  }>;

const noToken: CallingToken = { scopes: [], clientName: null, tokenId: "", allowance: undefined };

export function createQueryContext(source: QuerySource): QueryContext {
  const { db, userId, share, token = noToken, ...settings } = source;
  const inTurn =
    <Refusal>(refuse: () => Refusal, patience?: number) =>
    <Result>(read: Read<Result>, isSearch = false): Promise<Result | Refusal> => {
      const run = () => read(isSearch ? { ...query, ...guardRows(db, userId, { alone: true }) } : query);
      if (!share) return run();
      const runShared = () => share.reads.run(userId, run, refuse, patience);
      return isSearch ? share.searches.run(userId, runShared, refuse, patience) : runShared();
    };
  const turns = { inTurn: inTurn(refuseRead), stepInTurn: inTurn(giveUp, patienceOfStepMs) };
  const query: QueryContext = { ...guardRows(db, userId), ...settings, token, ...turns };
  return query;
}

/** Reads for a user: from the primary, or from a standby if the caller allows it. */
export type OpenQuery = (
  actor: Requester,
  options?: Readonly<{
    /** The rest of the token's rate limit, which a query may ask for. */
    allowance?: Allowance | undefined;
    /** Set for reads that the user only looks at. Decisions of the door read from the primary. */
    standbyMayAnswer?: boolean;
  }>,
) => QueryContext;

export function openQueries(
  { defaultTimeZone, baseUrl }: Pick<Settings, "defaultTimeZone" | "baseUrl">,
  { primary, shown }: Readonly<{ primary: QueryDatabase; shown: QueryDatabase }>,
  now: () => number,
): OpenQuery {
  const share = { reads: readTurns("reads"), searches: readTurns("searches") };
  return ({ userId, ...known }, { allowance, standbyMayAnswer = false } = {}) => {
    const token = { ...noToken, ...known, allowance };
    const db = standbyMayAnswer ? shown : primary;
    return createQueryContext({ db, userId, now: now(), defaultTimeZone, baseUrl, share, token });
  };
}

/** @template Refusal if it can find nothing: by id or name, or after an outdated cursor */
export type QueryHandler<Name extends QueryName, Refusal extends Refused = never> = (
  query: QueryContext,
  input: InputOf<Queries[Name]>,
) => Promise<OutputOf<Queries[Name]> | Refusal>;

export type DaySettingsColumns = {
  time_zone: string | null;
  day_start_hour: number | null;
  /** Null also for a webhook that is switched off. */
  reminder_channel: ReminderChannel | null;
};

const ownUser = selectFrom(own("users").as("u"));

/** The user's settings as columns of every row, which saves a second statement. */
export const daySettings = [
  ownUser.select("u.time_zone").as("time_zone"),
  ownUser.select("u.day_start_hour").as("day_start_hour"),
  ownUser
    .select(({ ref }) =>
      sql<ReminderChannel | null>`case when ${ref("u.webhook_disabled_at")} is null
        or ${ref("u.reminder_channel")} <> 'webhook' then ${ref("u.reminder_channel")} end`.as(
        "reminder_channel",
      ),
    )
    .as("reminder_channel"),
] as const;

const onlySettings = statement({}, () => sql<DaySettingsColumns>`select ${sql.join(daySettings)}`);

type DaySettings = Readonly<{ timeZone: string; dayStartHour: number; today: Viewer }>;

export async function readDaySettings(query: QueryContext): Promise<DaySettings> {
  return daySettingsOf(await query.rows(onlySettings({})), query);
}

/** @returns undefined when the database cannot be asked */
export const readToday = (query: QueryContext): Promise<Viewer | undefined> =>
  readDaySettings(query).then(
    ({ today }) => today,
    () => undefined,
  );

/** A refusal waits no longer than this for the user's day. */
const refusedDayMs = 100;

export const readTodaySoon = (query: QueryContext): Promise<Viewer | undefined> =>
  Promise.race([readToday(query), Bun.sleep(refusedDayMs).then(() => undefined)]);

/** The day settings in the columns of the first row; the defaults when there is none. */
export function daySettingsOf(rows: readonly DaySettingsColumns[], query: QueryContext): DaySettings {
  const { tokenId, clientName: name } = query.token;
  const today = viewerAt(query.now, rows[0] ?? {}, query, { tokenId, name });
  return { timeZone: today.timeZone, dayStartHour: rows[0]?.day_start_hour ?? 0, today };
}
