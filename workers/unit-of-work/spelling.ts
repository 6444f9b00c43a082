import type { Engine } from "../../shared/db/engine.ts";
import type { Column } from "./table.ts";

/**
 * Keys as rows of a statement, from one array per column. Where a statement is of one user, the first value is that
 * user and no array: what is joined with the rows is then known to be theirs.
 * @param first the number of the first value
 */
export function keyRows(
  engine: Engine,
  alias: string,
  [user, ...others]: readonly Column[],
  first: number,
): string {
  const arrays = others.map(({ type }, index) => `$${first + 1 + index}::${type}[]`).join(", ");
  const names = others.map(({ name }) => name).join(", ");
  const owner = user?.name ?? "user_id";
  if (engine === "citus") {
    const rest = others.length > 0 ? `, k.* from unnest(${arrays}) k(${names})` : "";
    return `(select $${first}::text as ${owner}${rest}) ${alias}`;
  }
  const all = [`$${first}::text[]`, ...(others.length > 0 ? [arrays] : [])].join(", ");
  return `unnest(${all}) ${alias}(${[owner, ...(others.length > 0 ? [names] : [])].join(", ")})`;
}

/** The first value of a statement with such keys. */
export const usersValue = (engine: Engine, userIds: readonly string[]): unknown =>
  engine === "citus" ? userIds[0] : userIds;

/**
 * A condition for rows whose user a join names: Citus cannot derive it where they are joined with what a part of the
 * same statement has changed or locked.
 * @param place the number of the value that is the user
 */
export const ofUser = (engine: Engine, alias: string, place: number): string =>
  engine === "citus" ? ` and ${alias}.user_id = $${place}` : "";
