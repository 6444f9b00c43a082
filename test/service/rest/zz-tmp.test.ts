import { test } from "bun:test";
import { searchPattern as now } from "../../../api/queries/engine/search.ts";
import { useStack } from "../../harness.ts";
import { openPageDoor } from "../../support/page-door.ts";
const old = (await import("/tmp/w/imp-old/search.ts")).searchPattern as typeof now;
const stack = await useStack();
const { pool } = await openPageDoor(stack);
test("t", async () => {
  for (const q of ["passport", "office", "zoe", "don't forget the"]) for (const [name, f] of [["old", old], ["new", now], ["old", old], ["new", now]] as const) {
    const r = await pool.query(`explain (analyze, timing off) select count(*) from (select md5(n::text) || ' Renew the passport of Zoë, call the café ' || md5((n*7)::text) || repeat(' some more words here', 8) t from generate_series(1, 20000) n) x where t ~ $1`, [f(q)]);
    console.log(q, name, r.rows.at(-1)["QUERY PLAN"]);
  }
});
