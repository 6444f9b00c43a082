import { expressionBuilder, sql } from "kysely";
import type { Database } from "../../shared/db/orm.ts";
import {
  type CategoryRefRow,
  presentCategory,
  presentHabit,
  presentTodo,
  shownOfHabit,
  shownOfTodo,
} from "../../shared/db/present.ts";
import { own, type RowOf, type Statement, selectFrom, statement } from "../../shared/db/reads/statement.ts";
import { viewerAt } from "../../shared/domain/reach.ts";
import type { ResourceKind, WebhookSubject } from "../../shared/domain/vocabulary.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Log } from "../../shared/process/observe/log.ts";
import { createTurns } from "../../shared/process/turns.ts";
import { type ChannelResult, sendFailed } from "../reminder/channels/channel.ts";
import { openWebhookPoster } from "../reminder/channels/webhook.ts";
import { createSlowTargets } from "../reminder/slow-targets.ts";
import { now, type ReminderStore } from "../reminder/store.ts";

/** A delivery that this process must post. */
type LeasedPost = Readonly<{
  user_id: string;
  id: string;
  webhook_id: string;
  subject: WebhookSubject;
  thing_id: number;
  attempts: number;
  url: string;
  secret: string;
  /** PostgreSQL's time at the start of the lease, in epoch ms. */
  now_ms: number;
}>;

/** The most deliveries of a webhook that are taken at once. */
const mostOfWebhook = 8;

/**
 * Takes due deliveries, a few of each webhook, so that no webhook takes the turns of another. Of a thing only one is
 * under way, which keeps its changes in order. A lease is longer than an attempt may last.
 */
const take = `
  with due as materialized (
    select d.*, w.url, w.secret
    from (select * from webhooks where is_active and id <> all($2::uuid[]) order by random()) w
    cross join lateral (
      select d.user_id, d.id from webhook_deliveries d
      where d.user_id = w.user_id and d.webhook_id = w.id and d.finished_at is null and d.next_attempt_at <= ${now}
        and not exists (
          select from webhook_deliveries o
          where o.user_id = d.user_id and o.webhook_id = d.webhook_id and o.subject = d.subject
            and o.thing_id = d.thing_id and o.finished_at is null and o.id <> d.id
            and (o.id < d.id or (o.status = 'sending' and o.next_attempt_at > ${now})))
      order by d.next_attempt_at limit ${mostOfWebhook} for update skip locked
    ) d
    limit $3
  )
  update webhook_deliveries d
  set status = 'sending', attempts = d.attempts + 1, next_attempt_at = ${now} + interval '30 seconds'
  from due
  where d.user_id = due.user_id and d.id = due.id
  returning d.user_id, d.id, d.webhook_id, d.subject, d.thing_id, d.attempts, due.url, due.secret,
    floor(extract(epoch from ${now}) * 1000)::float8 as now_ms`;

/** @param busy webhooks that have no turn free */
async function leasePosts(
  { database, travel }: ReminderStore,
  busy: readonly string[],
  most: number,
): Promise<LeasedPost[]> {
  return (await database.pool.query<LeasedPost>(take, [travel(), busy, most])).rows;
}

/** The result of an attempt. */
type Attempt = Readonly<{
  status: "delivered" | "failed" | "waiting" | "postponed";
  error: string | null;
  againInMs: number;
}>;

/** If a newer change has taken the delivery's place, that one is due now, or after the pause of a failure. */
const finish = `
  with finished as (
    update webhook_deliveries set error = $5,
      status = case $4 when 'postponed' then 'waiting' else $4 end,
      attempts = attempts - ($4 = 'postponed')::int,
      next_attempt_at = ${now} + $6 * interval '1 millisecond',
      finished_at = case when $4 in ('delivered', 'failed') then ${now} end
    where user_id = $2 and id = $3
    returning id
  )
  update webhook_deliveries set next_attempt_at = ${now} + $6 * interval '1 millisecond'
  where user_id = $2 and webhook_id = $7 and subject = $8 and thing_id = $9 and finished_at is null and status = 'waiting'
    and not exists (select from finished)`;

/**
 * A webhook that fails for three days is switched off, and its person is told by the channel of reminders. Its row is
 * written only then, and at the first failure or success.
 */
const noteHealth = `
  with noted as (
    update webhooks set
      failing_since = case when not $4::boolean then coalesce(failing_since, ${now}) end,
      is_active = is_active and ($4 or coalesce(failing_since, ${now}) > ${now} - interval '3 days'),
      disabled_at = case when not $4 and is_active and failing_since <= ${now} - interval '3 days' then ${now} else disabled_at end
    where user_id = $2 and id = $3 and case
      when $4 then failing_since is not null
      else failing_since is null or failing_since <= ${now} - interval '3 days' end
    returning user_id, disabled_at = ${now} as is_off
  )
  insert into reminder_deliveries
    (user_id, id, about, status, attempts, late, used_acts, scheduled_at, next_attempt_at, created_at)
  select user_id, gen_random_uuid(), 'webhooks', 'queued', 0, false, '', ${now}, ${now}, ${now} from noted where is_off`;

async function writeAttempt(
  { database, travel }: ReminderStore,
  { user_id, id, webhook_id, subject, thing_id }: LeasedPost,
  { status, error, againInMs }: Attempt,
): Promise<void> {
  const thing = [webhook_id, subject, thing_id];
  await database.pool.query(finish, [travel(), user_id, id, status, error, againInMs, ...thing]);
  if (status === "postponed") return;
  await database.pool.query(noteHealth, [travel(), user_id, webhook_id, status === "delivered"]);
}

type PayloadContext = Readonly<{
  database: Pick<Database, "pool">;
  config: Pick<Config, "defaultTimeZone" | "baseUrl">;
}>;

type Subject = Readonly<{ user_id: string; subject: WebhookSubject; thing_id: number; now_ms: number }>;

/**
 * The event of a delivery: what GET /changes shows of its thing now, which is at least as new as the change.
 */
async function eventOf(context: PayloadContext, delivery: Subject) {
  const { subject, thing_id: id, now_ms } = delivery;
  const kind = subject === "due_todo" ? "todo" : subject === "due_habit" ? "habit" : subject;
  const resource = (await readers[kind](context, delivery)) ?? null;
  const verb = resource === null ? "deleted" : "changed";
  return {
    type: kind === subject || resource === null ? `${kind}.${verb}` : "reminder.due",
    timestamp: new Date(now_ms).toISOString(),
    data: { type: kind, id, deleted: resource === null, resource },
  };
}

type Coloured = RowOf<"habits"> | RowOf<"todos">;
const category = selectFrom(own("categories").as("c"))
  .select(({ ref }) =>
    sql<CategoryRefRow>`jsonb_build_object('id', ${ref("c.id")}, 'name', ${ref("c.name")}, 'color', ${ref("c.color")})`.as(
      "ref",
    ),
  )
  .where("c.id", "=", expressionBuilder<{ x: Coloured }, "x">().ref("x.category_id"))
  .as("category");

const categoryById = statement({ id: "bigint" }, (value) =>
  selectFrom(own("categories").as("x")).selectAll("x").where("x.id", "=", value("id")),
);

const habitById = statement({ id: "bigint" }, (value) =>
  selectFrom(own("habits").as("x"))
    .select(shownOfHabit.map((column) => `x.${column}` as const))
    .select(category)
    .where("x.id", "=", value("id")),
);

const todoById = statement({ id: "bigint" }, (value) =>
  selectFrom(own("todos").as("x"))
    .leftJoin(own("reminders").as("r"), "r.todo_id", "x.id")
    .select(shownOfTodo.map((column) => `x.${column}` as const))
    .select(["r.todo_id", "r.remind_at", "r.status", category])
    .where("x.id", "=", value("id")),
);

const viewer = statement({}, () =>
  selectFrom(own("users").as("u")).select([
    "u.time_zone",
    "u.day_start_hour",
    "u.reminder_channel",
    "u.webhook_disabled_at",
  ]),
);

type Reader = (context: PayloadContext, delivery: Subject) => Promise<object | undefined>;

const readers: Readonly<Record<ResourceKind, Reader>> = {
  async category(context, { user_id, thing_id: id }) {
    const row = await one(context, user_id, categoryById({ id }));
    return row && presentCategory(row);
  },
  async habit(context, delivery) {
    const row = await one(context, delivery.user_id, habitById({ id: delivery.thing_id }));
    return row && presentHabit(row, row.category ?? undefined, await viewerOf(context, delivery));
  },
  async todo(context, delivery) {
    const row = await one(context, delivery.user_id, todoById({ id: delivery.thing_id }));
    if (!row) return undefined;
    const { todo_id, remind_at, status } = row;
    const hasReminder = todo_id !== null && remind_at !== null && status !== null;
    const reminder = hasReminder ? { todo_id, remind_at, status } : undefined;
    return presentTodo(row, row.category ?? undefined, reminder, await viewerOf(context, delivery));
  },
};

async function viewerOf(context: PayloadContext, { user_id, now_ms }: Subject) {
  const user = await one(context, user_id, viewer({}));
  return viewerAt(now_ms, user ?? {}, context.config, { tokenId: "", name: null });
}

async function one<Row extends object>(
  { database }: PayloadContext,
  userId: string,
  statement: Statement<Row>,
) {
  const { text, values } = statement.of(userId);
  const { rows } = await database.pool.query<Row>(text, values);
  return rows[0];
}

type DelivererContext = ReminderStore &
  Readonly<{
    config: Pick<Config, "webhookAllowLoopback" | "defaultTimeZone" | "baseUrl">;
    log: Log;
    onSent(userId: string): void;
  }>;

type Deliverer = Readonly<{
  /** Posts what is due, as far as there is room. */
  deliver(): Promise<void>;
  stop(): Promise<void>;
}>;

const maxUnderWay = 200;
const stopWithinMs = 8_000;
const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;
/** The waits after failed attempts: twelve attempts in a day. */
const waits = [5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, 30 * minutes, hours, 2 * hours].concat(
  Array(5).fill(4 * hours),
);
const busyAgainMs = 10_000;

export function createWebhookDeliverer(context: DelivererContext): Deliverer {
  const { config, log, onSent } = context;
  const poster = openWebhookPoster(config.webhookAllowLoopback);
  const sendTo = createSlowTargets();
  const underWay = new Set<LeasedPost>();
  /** Results that come during a look share the next one. */
  const looks = createTurns({ atOnce: 1, mostWaiting: 1 });
  let isStopping = false;

  async function post(delivery: LeasedPost): Promise<ChannelResult> {
    const { url, secret, id, now_ms } = delivery;
    const event = await eventOf(context, delivery);
    return poster
      .post({ url, secret, id, at: new Date(now_ms) }, event)
      .catch((error) => sendFailed("It could not be sent, because of a fault here.", false, String(error)));
  }

  async function send(delivery: LeasedPost): Promise<void> {
    const result = await sendTo(new URL(delivery.url).host, () => post(delivery));
    await writeAttempt(context, delivery, attemptOf(delivery, result));
    onSent(delivery.user_id);
  }

  const deliver = () => looks.run("", takeSome, () => {});

  async function takeSome(): Promise<void> {
    const room = maxUnderWay - underWay.size;
    if (room <= 0 || isStopping) return;
    const ofWebhooks = [...Map.groupBy(underWay, ({ webhook_id }) => webhook_id)];
    const busy = ofWebhooks.flatMap(([webhook, own]) => (own.length >= mostOfWebhook ? webhook : []));
    for (const delivery of await leasePosts(context, busy, room)) {
      underWay.add(delivery);
      // The end of its lease brings a delivery back whose result could not be written.
      send(delivery)
        .catch((error) =>
          log.warn({ delivery: delivery.id, reason: String(error) }, "webhook delivery not marked"),
        )
        .finally(() => underWay.delete(delivery))
        .then(deliver)
        .catch(() => {});
    }
  }

  return {
    deliver,
    async stop() {
      isStopping = true;
      const deadline = performance.now() + stopWithinMs;
      while (underWay.size > 0 && performance.now() < deadline) await Bun.sleep(10);
      poster.close();
    },
  };
}

function attemptOf({ attempts }: LeasedPost, result: ChannelResult | "busy"): Attempt {
  if (result === "busy") return { status: "postponed", error: null, againInMs: busyAgainMs };
  if (result.ok) return { status: "delivered", error: null, againInMs: 0 };
  const wait = result.final ? undefined : waits[attempts - 1];
  if (wait === undefined) return { status: "failed", error: result.reason, againInMs: 0 };
  return { status: "waiting", error: result.reason, againInMs: wait * (1 + Math.random() / 5) };
}
