import { deletionKinds } from "../../shared/db/entities/deletion.ts";

const isHere = Object.entries(deletionKinds)
  .map(
    ([table, kind]) => `(t.kind = ${kind} and exists (
        select from ${table} x where x.user_id = t.user_id and x.id = t.id))`,
  )
  .join(" or ");

/** Reads the keys of imported things that still exist. */
export const readImportKeys = `
  select t.* from unnest($1::text[], $2::text[]) v(user_id, key) cross join lateral (
    select * from import_keys t where t.user_id = v.user_id and t.key = v.key and (${isHere}) offset 0
  ) t`;
