import { idAt, perUser, userAt } from "./seed.ts";

/** A random user and one of the ids that are theirs, as pgbench variables. */
const pick = (users: number): string => `
\\set index random(0, ${users - 1})
\\set user ${userAt(0)} + :index
\\set id :index * ${perUser} + random(${idAt(0, 0)}, ${idAt(0, perUser - 1)})
`;

/** The page of incomplete todos as api/queries/todo/read.ts asks for it, in one statement. */
export const pageStatement = `
select t.*, c.name as category_name, c.color as category_color, r.remind_at, r.status as reminder_status,
  (select count(*) from todos t where t.user_id = :user::text and not t.is_completed) as total
from todos t
left join categories c on c.user_id = t.user_id and c.id = t.category_id
left join reminders r on r.user_id = t.user_id and r.todo_id = t.id
where t.user_id = :user::text and not t.is_completed
order by t.due_date, t.time_of_day, t.id limit 15 offset 0`;

export const page = (users: number): string => `${pick(users)}${pageStatement};
`;

export const rowStatement = `
select t.*, c.name as category_name, c.color as category_color, r.remind_at, r.status as reminder_status
from todos t
left join categories c on c.user_id = t.user_id and c.id = t.category_id
left join reminders r on r.user_id = t.user_id and r.todo_id = t.id
where t.user_id = :user::text and t.id = :id`;

export const oneRow = (users: number): string => `${pick(users)}${rowStatement};
`;

export const insert = (users: number): string => `${pick(users)}
insert into todos (user_id, id, title, due_date, time_of_day, is_completed, recurrence_from, created_at, updated_at)
values (:user::text, nextval('todos_id_seq'), 'Water the plants', '2026-12-01', 'morning', false, 'due', now(), now());
`;

export const lockAndUpdate = (users: number): string => `${pick(users)}
begin;
select * from todos where user_id = :user::text and id = :id for update;
update todos set is_completed = not is_completed, completed_at = now(), completed_on = current_date,
  updated_at = now() where user_id = :user::text and id = :id;
commit;
`;

export const lockInsertAndUpdate = (users: number): string => `${pick(users)}
\\set day random(1, 20000)
begin;
select * from habits where user_id = :user::text and id = :id for update;
insert into habit_completions values (:user::text, :id, '1900-01-01'::date + :day::int, now()) on conflict do nothing;
update habits set completions_count = completions_count + 1, updated_at = now()
where user_id = :user::text and id = :id;
commit;
`;

/** The dashboard as api/queries/dashboard/read.ts asks for it, without the settings of each row. */
export const dashboardStatement = `
select
  (select coalesce(json_agg(h order by h.id), '[]') from (select * from habits where user_id = :user::text
    and (next_due is null or next_due <= current_date) order by id) h) as habits,
  (select coalesce(json_agg(t order by t.due_date, t.time_of_day, t.id), '[]') from (select * from todos
    where user_id = :user::text and not is_completed order by due_date, time_of_day, id limit 100) t) as todos,
  (select json_object_agg(day::date, (select count(*) from habit_completions c where c.user_id = :user::text
     and c.local_date = day::date) + (select count(*) from todos t where t.user_id = :user::text
     and t.is_completed and t.completed_on = day::date) order by day)
   from generate_series(current_date - 13, current_date, interval '1 day') as day) as strip,
  (select json_build_object('total_habits', count(*), 'pending_todos', (select count(*) from todos t
     where t.user_id = :user::text and not t.is_completed)) from habits where user_id = :user::text) as stats`;

export const dashboard = (users: number): string => `${pick(users)}${dashboardStatement};
`;
