import type { Engine } from "../../shared/db/engine.ts";
import { deletionKinds } from "../../shared/db/entities/deletion.ts";
import { keyRows, ofUser } from "./spelling.ts";

const isHere = (engine: Engine) =>
  Object.entries(deletionKinds)
    .map(
      ([table, kind]) => `(t.kind = ${kind} and exists (
        select from ${table} x where x.user_id = t.user_id and x.id = t.id${ofUser(engine, "x", 1)}))`,
    )
    .join(" or ");

/** Reads which things of a file are here. One that was deleted since counts as if it had never come. */
export const readImportKeys = (engine: Engine): string => `
  select t.* from ${keyRows(
    engine,
    "v",
    [
      { name: "user_id", type: "text" },
      { name: "key", type: "text" },
    ],
    1,
  )} cross join lateral (
    select * from import_keys t where t.user_id = v.user_id and t.key = v.key and (${isHere(engine)}) offset 0
  ) t`;
