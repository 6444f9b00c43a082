import type { Pool } from "pg";
import { DatabaseFailure, wasStopped } from "../../../shared/db/database-failure.ts";
import { batchQuery, batchResults, batchTextOf } from "./batch-statement.ts";

/** A read that takes long travels alone, because with others each would wait for all of them. */
export type ReadManner = Readonly<{ alone: boolean }>;

/** Runs one read of a user. @throws DatabaseFailure */
export type RunRead = <Row>(
  userId: string,
  text: string,
  values: readonly unknown[],
  manner?: ReadManner,
) => Promise<Row[]>;

type Read = Readonly<{
  userId: string;
  values: readonly unknown[];
  resolve(rows: object[]): void;
  reject(error: unknown): void;
}>;

type Statement = {
  readonly text: string;
  /** Undefined once it has turned out that this statement cannot be batched. */
  batchText: string | undefined;
  /** Round trips that new reads wait for. */
  underWay: number;
  readonly waiting: Read[];
  /** What the last ten or so round trips took. */
  usualMs: number;
};

/** More round trips at once would only make the batches smaller. */
const maxUnderWay = 2;
const maxTogether = 64;
/** A batch takes as long as its slowest member, so a user whose reads take long reads alone. */
const slowMs = 25;
const slowTimes = 4;
const maxSuspects = 10_000;
const maxStatements = 500;
/** A round trip that takes longer is not waited for: a slow user or a frozen server holds up nobody else's reads. */
const patienceMs = 100;

/**
 * Reads with the same statement that wait at the same time travel as one: the values of all are unnested, and the
 * statement is asked for each of them laterally. Measured: 0.71 of a list's processor time, 0.44 of a single row's.
 * A read that meets no other runs the plain statement.
 */
export function createReadBatches(pool: Pick<Pool, "query">): RunRead {
  const statementOf = createStatements();
  /** Users who were in a slow batch, or are the reason for one: they read alone until they were quick. */
  const suspects = new Set<string>();

  function suspect(reads: readonly Read[]): void {
    if (suspects.size > maxSuspects) suspects.clear();
    for (const { userId } of reads) suspects.add(userId);
  }

  async function runAlone(statement: Statement, read: Read): Promise<void> {
    const { userId, values, resolve, reject } = read;
    const began = performance.now();
    try {
      resolve((await pool.query<object>({ text: statement.text, values: [...values] })).rows);
      isSlow(statement, performance.now() - began) ? suspect([read]) : suspects.delete(userId);
    } catch (error) {
      if (wasStopped(error)) suspect([read]);
      reject(new DatabaseFailure(error));
    }
  }

  async function runTogether(statement: Statement, batchText: string, reads: readonly Read[]): Promise<void> {
    const began = performance.now();
    try {
      const results = batchResults(await pool.query(batchQuery(batchText, reads)));
      reads.forEach(({ resolve }, index) => void resolve(results[index] ?? []));
      if (isSlow(statement, performance.now() - began)) suspect(reads);
    } catch (error) {
      const state = sqlStateOf(error);
      if (state === undefined) for (const { reject } of reads) reject(new DatabaseFailure(error));
      // One caller's bad value is nobody else's error.
      else await Promise.all(reads.map((read) => runAlone(statement, read)));
      // A syntax or type error: the server takes this statement's values only as they are.
      if (state?.startsWith("42")) statement.batchText = undefined;
    }
  }

  function send(statement: Statement, reads: readonly Read[]): void {
    let counts = true;
    const leave = () => {
      if (!counts) return;
      counts = false;
      clearTimeout(timer);
      statement.underWay -= 1;
      sendWaiting(statement);
    };
    const timer = setTimeout(leave, patienceMs);
    statement.underWay += 1;
    const { batchText } = statement;
    const answered =
      reads.length > 1 && batchText !== undefined
        ? runTogether(statement, batchText, reads)
        : Promise.all(reads.map((read) => runAlone(statement, read)));
    void answered.then(leave);
  }

  function sendWaiting(statement: Statement): void {
    const together = statement.batchText === undefined ? 1 : maxTogether;
    while (statement.underWay < maxUnderWay && statement.waiting.length > 0)
      send(statement, statement.waiting.splice(0, together));
  }

  return <Row>(userId: string, text: string, values: readonly unknown[], manner?: ReadManner) =>
    new Promise<Row[]>((resolve, reject) => {
      const read: Read = { userId, values, resolve: (rows) => resolve(rows as Row[]), reject };
      const statement = statementOf(text);
      const mayWait = !manner?.alone && !suspects.has(userId) && values.every(isPlain);
      if (statement.batchText === undefined || !mayWait) return void runAlone(statement, read);
      statement.waiting.push(read);
      sendWaiting(statement);
    });
}

function createStatements(): (text: string) => Statement {
  const statements = new Map<string, Statement>();
  return (text) => {
    const known = statements.get(text);
    if (known) return known;
    const statement = { text, batchText: batchTextOf(text), underWay: 0, waiting: [], usualMs: 0 };
    if (statements.size < maxStatements) statements.set(text, statement);
    return statement;
  };
}

/** Compared with what is usual at present: under load everything takes longer, and nobody is the reason. */
function isSlow(statement: Statement, ms: number): boolean {
  const slow = ms > slowMs && ms > slowTimes * statement.usualMs;
  statement.usualMs += 0.1 * (Math.min(ms, 10 * slowMs) - statement.usualMs);
  return slow;
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== "object";

/** @returns undefined when the server did not answer */
function sqlStateOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
