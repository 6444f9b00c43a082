import { presentCategory } from "../../shared/db/present.ts";
import { notFound } from "../../shared/errors.ts";
import type { QueryHandler } from "./context.ts";
import { offsetOf, pageSize, paginate, totalOf } from "./pagination.ts";

export const list: QueryHandler<"category.list"> = async ({ db, userId, baseUrl }, { page = 1 }) => {
  const own = db.selectFrom("categories").where("user_id", "=", userId);
  const count = own.select(({ fn }) => fn.countAll<number>().as("total"));
  const rows = await own
    .selectAll()
    .select(count.as("total"))
    .orderBy("id")
    .limit(pageSize)
    .offset(offsetOf(page))
    .execute();
  const total = await totalOf(
    rows.map(({ total }) => ({ total: total ?? 0 })),
    page,
    async () => (await count.executeTakeFirst())?.total ?? 0,
  );
  return paginate(rows.map(presentCategory), total, {
    url: `${baseUrl}/api/v1/categories`,
    filters: {},
    page,
  });
};

export const get: QueryHandler<"category.get"> = async ({ db, userId }, { category_id }) => {
  const row = await db
    .selectFrom("categories")
    .selectAll()
    .where("user_id", "=", userId)
    .where("id", "=", category_id)
    .executeTakeFirst();
  return row ? presentCategory(row) : notFound("Category");
};
