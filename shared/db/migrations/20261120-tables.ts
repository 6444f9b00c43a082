import { Migration } from "@mikro-orm/migrations";

/** The business tables. Keys lead with user_id: ownership is part of the key, and what a cluster shards by. */
export class Tables extends Migration {
  override up(): void {
    this.addSql(`create type time_of_day as enum ('morning', 'afternoon', 'evening')`);
    for (const sequence of ["categories", "habits", "todos"]) {
      this.addSql(`create sequence ${sequence}_id_seq increment by 100`);
    }
    this.addSql(`
      create table users (
        user_id text primary key,
        time_zone text not null,
        zone_source text not null,
        zone_claimed_at timestamptz,
        day_start_hour int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null
      )`);
    this.addSql(`
      create table categories (
        user_id text not null,
        id bigint not null,
        name text not null,
        color text not null,
        icon text,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (user_id, id)
      )`);
    this.addSql(`
      create table habits (
        user_id text not null,
        id bigint not null,
        name text not null,
        type text not null,
        frequency text not null,
        schedule jsonb,
        time_of_day time_of_day,
        category_id bigint,
        description text,
        grace_days int not null,
        completions_count int not null,
        streak int not null,
        streak_alive_through date,
        longest_streak int not null,
        next_due date,
        recent_dates date[] not null,
        streak_state jsonb not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (user_id, id),
        foreign key (user_id, category_id) references categories on delete set null (category_id)
      ) with (fillfactor = 85)`);
    this.addSql(
      `create index habits_category on habits (user_id, category_id) where category_id is not null`,
    );
    this.addSql(`
      create table habit_completions (
        user_id text not null,
        habit_id bigint not null,
        local_date date not null,
        completed_at timestamptz not null,
        primary key (user_id, habit_id, local_date),
        foreign key (user_id, habit_id) references habits on delete cascade
      )`);
    this.addSql(`create index habit_completions_by_date on habit_completions (user_id, local_date)`);
    this.addSql(`
      create table todos (
        user_id text not null,
        id bigint not null,
        title text not null,
        description text,
        due_date date,
        time_of_day time_of_day,
        estimated_minutes int,
        context text,
        category_id bigint,
        is_completed boolean not null,
        completed_at timestamptz,
        completed_on date,
        recurrence text,
        recurrence_from text not null,
        recurrence_anchor date,
        next_todo_id bigint,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (user_id, id),
        foreign key (user_id, category_id) references categories on delete set null (category_id)
      ) with (fillfactor = 85)`);
    this.addSql(`create index todos_category on todos (user_id, category_id) where category_id is not null`);
    this.addSql(
      `create index todos_pending on todos (user_id, due_date, time_of_day, id) where not is_completed`,
    );
    this.addSql(`create index todos_completed_on on todos (user_id, completed_on) where is_completed`);
    this.addSql(`
      create table reminders (
        user_id text not null,
        todo_id bigint not null,
        remind_at timestamptz not null,
        wall_time timestamp,
        status text not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (user_id, todo_id),
        foreign key (user_id, todo_id) references todos on delete cascade
      )`);
    this.addSql(`create index reminders_due on reminders (remind_at) where status = 'scheduled'`);
    this.addSql(`
      create table action_log (
        user_id text not null,
        request_id uuid not null,
        token_id text not null,
        client_name text,
        tool text not null,
        arguments text not null,
        outcome text not null,
        replayed boolean not null,
        called_at timestamptz not null,
        duration_ms double precision not null,
        primary key (user_id, request_id)
      )`);
    this.addSql(
      `create index action_log_by_token on action_log (user_id, token_id, called_at desc, request_id desc)`,
    );
    this.addSql(`create index action_log_by_time on action_log (user_id, called_at desc, request_id desc)`);
    this.addSql(`
      create table inbox (
        user_id text not null,
        command_id uuid not null,
        fingerprint text not null,
        reply text not null,
        created_at timestamptz not null,
        primary key (user_id, command_id)
      )`);
    this.addSql(`create index inbox_created_at on inbox using brin (created_at)`);
  }
}
