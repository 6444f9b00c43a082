import { noStatements } from "./returns/no-statements.ts";
import type { Table } from "./table.ts";

/** Works that a command begins. Their rows are written with their first step, unless that is the last as well. */
export const begunWorks: Table = {
  name: "works",
  columns: [],
  key: [
    { name: "user_id", type: "text" },
    { name: "id", type: "uuid" },
  ],
  writes: () => [],
  sql: noStatements,
};
