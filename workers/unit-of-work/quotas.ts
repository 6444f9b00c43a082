import { invalid, type Refused } from "../../shared/errors.ts";
import type { Queryable } from "./connection.ts";
import type { NumberedTable } from "./ids.ts";

/** The most rows that one user can have: more than anybody needs, but few enough to keep statements short. */
const quotas: Readonly<Record<NumberedTable, number>> = {
  categories: 1_000,
  habits: 2_000,
  todos: 50_000,
};

/** One row more in a table of a user. */
export type QuotaUse = Readonly<{ userId: string; table: NumberedTable }>;

export type Quotas = Readonly<{
  /** Counts the rows of these users, unless a count is known that can still be trusted. */
  learn(connection: Queryable, uses: readonly QuotaUse[]): Promise<void>;
  /** Begins the count of what one transaction makes. */
  open(): QuotaUses;
}>;

/** What one transaction makes. For others it counts from its commit on, so that what is rolled back uses nothing up. */
export type QuotaUses = Readonly<{
  /** Counts one more row. @returns a refusal that says what to do when the quota is used up */
  use(one: QuotaUse): Refused | undefined;
  /** Notes what was used. @returns a function that forgets all uses since then */
  checkpoint(): () => void;
  committed(): void;
}>;

type Count = { count: number; trustedUntil: number };

/** A count below half of the quota is trusted for longer: what other workers add meanwhile still fits in. */
const trustedMs = { belowHalf: 60_000, aboveHalf: 1_000 };
const maxKnown = 20_000;

/**
 * Counts the rows of users who create some, at most once a minute each: counting with every command would cost as
 * much as the command, and quotas are so generous that exceeding one by the rows of a minute is harmless.
 */
export function createQuotas(): Quotas {
  const known = new Map<string, Count>();

  async function learnTable(
    connection: Queryable,
    table: NumberedTable,
    uses: readonly QuotaUse[],
  ): Promise<void> {
    const userIds = [...new Set(uses.map(({ userId }) => userId))];
    for (const { user_id: userId, count } of await countRows(connection, table, userIds)) {
      const trustedUntil =
        performance.now() + (count < quotas[table] / 2 ? trustedMs.belowHalf : trustedMs.aboveHalf);
      known.set(idOf({ userId, table }), { count, trustedUntil });
    }
    for (const id of known.keys()) {
      if (known.size <= maxKnown) break;
      known.delete(id);
    }
  }

  return {
    async learn(connection, uses) {
      const unknown = uses.filter((one) => !((known.get(idOf(one))?.trustedUntil ?? 0) > performance.now()));
      const byTable = Map.groupBy(unknown, ({ table }) => table);
      await Promise.all([...byTable].map(([table, some]) => learnTable(connection, table, some)));
    },
    open: () => openUses(known),
  };
}

const idOf = ({ userId, table }: QuotaUse): string => `${table} ${userId}`;

const usedUp = ({ table }: QuotaUse): Refused => {
  const most = quotas[table].toLocaleString("en");
  const reason = `You have ${most} ${table}, the most that one account can have`;
  return invalid({ [table]: [{ reason, next: "delete some first." }] });
};

function openUses(known: ReadonlyMap<string, Count>): QuotaUses {
  let used = new Map<string, number>();
  return {
    use(one) {
      const id = idOf(one);
      const own = used.get(id) ?? 0;
      if ((known.get(id)?.count ?? 0) + own >= quotas[one.table]) return usedUp(one);
      used.set(id, own + 1);
      return undefined;
    },
    checkpoint() {
      const before = new Map(used);
      return () => {
        used = before;
      };
    },
    committed() {
      for (const [id, own] of used) {
        const entry = known.get(id);
        if (entry) entry.count += own;
      }
    },
  };
}

/** Counts no further than the quota, however many rows there are. */
async function countRows(connection: Queryable, table: NumberedTable, userIds: readonly string[]) {
  const { rows } = await connection.query<{ user_id: string; count: number }>(
    `select v.user_id, (select count(*) from (select 1 from ${table} t where t.user_id = v.user_id limit $2) t)
       from unnest($1::text[]) v(user_id)`,
    [userIds, quotas[table]],
  );
  return rows;
}
