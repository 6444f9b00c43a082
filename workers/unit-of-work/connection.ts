import type { Pool, PoolClient, QueryResult, QueryResultRow } from "pg";
import { DatabaseFailure } from "../../shared/db/database-failure.ts";

/** A connection or pool that takes statements. A connection sends them in the order of the calls. */
export type Queryable = Readonly<{
  query<Row extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<Row>>;
}>;

const markFailure = (error: unknown): never => {
  throw new DatabaseFailure(error);
};

/** @throws DatabaseFailure when no connection can be had */
export const connect = (pool: Pool): Promise<PoolClient> => pool.connect().catch(markFailure);

/** Marks failed queries here, so that an error of the workers' own code never looks like an outage. */
export const markFailures = (connection: Queryable): Queryable => ({
  query: <Row extends QueryResultRow>(text: string, values?: unknown[]) =>
    connection.query<Row>(text, values).catch(markFailure),
});
