/**
 * Makes one PostgreSQL server say that it is Citus, so that migrations, front doors and workers speak to it as they would
 * to a cluster. It takes every statement; which of them a cluster would not take, `test/plans/citus.test.ts` looks at.
 */
export const pretendCitus = `
  set allow_system_table_mods = on;
  insert into pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    select 90000, 'citus', 10, oid, false, 'pretended' from pg_namespace where nspname = 'public';
  create table pg_dist_partition (logicalrelid regclass);
  create function create_distributed_table(table_name regclass, distribution_column text, colocate_with text)
    returns void language sql as 'insert into pg_dist_partition values (table_name)';`;
