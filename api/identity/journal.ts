import { AsyncLocalStorage } from "node:async_hooks";
import type { Pool, PoolClient } from "pg";
import { inTransaction } from "../../shared/db/in-transaction.ts";
import { type DetailsOf, type EventName, events, type Origin } from "../../shared/domain/journal/events.ts";
import type { SecurityLog } from "../../shared/process/observe/security-log.ts";
import { browserName } from "../http/request.ts";

type UnderWay = Readonly<{
  network: string;
  userAgent: string;
  /** Finds the account that is signed in at the provider. */
  findAccount?(): Promise<string | undefined>;
}>;

const requests = new AsyncLocalStorage<UnderWay>();

/** The request that is served. Chores and the service itself have none. */
export const requestUnderWay = (): UnderWay | undefined => requests.getStore();

/** The network whose request is served; empty for chores. */
export const networkUnderWay = (): string => requestUnderWay()?.network ?? "";

/** Serves a request: all that it does asynchronously knows where it comes from. */
export const duringRequest = <Result>(request: UnderWay, serve: () => Result): Result =>
  requests.run(request, serve);

/** Runs work that belongs to no request, although one began it. */
export const asChore = <Result>(work: () => Result): Result => requests.exit(work);

/** The parts that every change of an account needs. */
export type Journaled = Readonly<{
  pool: Pool;
  security: SecurityLog;
  /** Sends waiting messages about events of accounts, without waiting for them. */
  tellPeople(): void;
}>;

type Message = Readonly<{
  /** The id of the token, session or passkey that the link in the message ends. */
  thing?: string;
  /** The address for the message; without it, the account's present one. */
  email?: string;
}>;

/** Adds an event to the account's journal, in the transaction of the change, and the message about it. */
type RecordEvent = <Kind extends EventName>(
  kind: Kind,
  details: Omit<DetailsOf<Kind>, "network" | "client">,
  message?: Message,
) => Promise<void>;

/** Runs a change of an account in a transaction that also writes its events. Those are logged once it is committed. */
export async function inJournal<Result>(
  { pool, security, tellPeople }: Journaled,
  accountId: string,
  work: (client: PoolClient, record: RecordEvent) => Promise<Result>,
): Promise<Result> {
  const recorded: EventName[] = [];
  const request = requestUnderWay();
  const origin: Origin = request ? { browser: browserName(request.userAgent), network: request.network } : {};
  const result = await inTransaction(pool, (client) =>
    work(client, async (kind, details, message = {}) => {
      recorded.push(kind);
      const { most, period, told } = events[kind];
      const facts = JSON.stringify({ ...origin, ...details });
      await client.query(append, [accountId, kind, facts, most, period]);
      const { thing = "", email } = message;
      // Acts of the service itself, such as the making of the owner's first token, are no news to anybody.
      if (told && origin.network) await client.query(addNotice, [accountId, kind, facts, thing, email]);
    }),
  );
  for (const kind of recorded) security({ kind, user: accountId, network: origin.network });
  if (recorded.some((kind) => events[kind].told)) tellPeople();
  return result;
}

const append = "select journal_append($1, $2, $3, $4, $5)";

/** Each kind has few messages that wait, and never displaces those of others. */
const addNotice = `
  insert into identity.notices (account_id, kind, details, thing, email)
  select $1, $2, $3, $4, coalesce($5, case when email_verified_at is not null then email end)
  from identity.accounts where id = $1 and 20 > (
    select count(*) from identity.notices where account_id = $1 and kind = $2 and sent_at is null)`;
