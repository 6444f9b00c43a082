import { readChangedThings } from "../../shared/db/reads/change-places.ts";
import { readChangedResources } from "../../shared/db/reads/changed-resources.ts";
import type { Statement } from "../../shared/db/reads/statement.ts";
import {
  eventOfSubject,
  type ResourceKind,
  type WebhookEvents,
  type WebhookSubject,
  webhookSubjects,
} from "../../shared/domain/vocabulary.ts";
import type { Config } from "../../shared/process/config.ts";
import { keyedId } from "../../shared/queue/command-id.ts";
import { type ChannelResult, sendFailed } from "../reminder/channels/channel.ts";
import { mayPass } from "../reminder/channels/post.ts";
import { openWebhookPoster } from "../reminder/channels/webhook.ts";
import { now, type ReminderStore } from "../reminder/store.ts";

export type WebhookKey = Readonly<{ user_id: string; id: string }>;

/** A webhook that this process alone posts to. */
type LeasedWebhook = WebhookKey &
  Readonly<{
    url: string;
    secret: string;
    events: readonly WebhookEvents[];
    cursor: string;
    /** The first part of cursors; see webhook_cursor in the migrations. */
    generation: string;
    is_failing: boolean;
    lease: string;
    /** PostgreSQL's time at the start of the lease, in epoch ms. */
    now_ms: number;
  }>;

/** A lease is longer than a round of posts may last. */
const take = `
  update webhooks set leased_until = ${now} + interval '30 seconds'
  where user_id = $2 and id = $3 and is_active and leased_until <= ${now}
    and (failing_since is null or held_until <= ${now})
  returning user_id, id, url, secret, events, cursor, split_part(webhook_cursor(), '.', 1) as generation,
    failing_since is not null as is_failing, leased_until::text as lease,
    floor(extract(epoch from ${now}) * 1000)::float8 as now_ms`;

type Post = Readonly<{ id: string; subject: WebhookSubject; thing_id: number }>;

/** The next posts, and the cursor behind them. */
type Batch = Readonly<{ posts: readonly Post[]; cursor: string; isMore: boolean }>;

/** The place before all changes. */
const beginning = "";

/** The most posts of a webhook at once. A receiver that fails is asked with one. */
const mostAtOnce = 8;

const waiting = `
  select id, subject, thing_id::float8 as thing_id from webhook_deliveries
  where user_id = $1 and webhook_id = $2 and finished_at is null and subject = any($3)
  order by created_at, id limit $4`;

/** The receiver has answered 410, or failed for three days. */
const isOver = `($7::boolean or ($5 and failing_since <= ${now} - interval '3 days') is true)`;

/**
 * Notes how posts went and moves the cursor past them: what failed waits in its row. A receiver that fails is left alone
 * for as long as it has failed, at most four hours. A post that is refused for a day is given up. Nothing is noted once
 * the lease is another's.
 */
const note = `
  with hook as (
    update webhooks set cursor = $4, leased_until = ${now},
      failing_since = case when $5::boolean then coalesce(failing_since, ${now}) when $5 is null then failing_since end,
      held_until = ${now} + case when $5 then greatest($6::float8 * interval '1 millisecond',
        least(interval '4 hours', greatest(interval '5 seconds', ${now} - failing_since))) else interval '0' end,
      is_active = is_active and not ${isOver}, disabled_at = case when is_active and ${isOver} then ${now} else disabled_at end
    where user_id = $2 and id = $3 and leased_until = $8::timestamptz
    returning user_id, id, held_until, disabled_at = ${now} as is_off
  ), noted as (
    insert into webhook_deliveries as d
      (user_id, id, webhook_id, subject, thing_id, status, attempts, error, next_attempt_at, created_at, finished_at)
    select h.user_id, t.id, h.id, t.subject, t.thing_id, s.status, 1, t.error, h.held_until, ${now},
      case when s.status <> 'waiting' then ${now} end
    from hook h
    cross join jsonb_to_recordset($9) t(id uuid, subject text, thing_id bigint, error text, is_refusal boolean)
    left join webhook_deliveries k on k.user_id = h.user_id and k.id = t.id
    cross join lateral (select case when t.error is null then 'delivered'
      when t.is_refusal and k.created_at <= ${now} - interval '1 day' then 'failed' else 'waiting' end as status) s
    on conflict (user_id, id) do update set attempts = d.attempts + 1, status = excluded.status, error = excluded.error,
      next_attempt_at = excluded.next_attempt_at, finished_at = excluded.finished_at
  ), pruned as (
    delete from webhook_deliveries where user_id = $2 and id in (
      select id from webhook_deliveries where user_id = $2 and webhook_id = $3 and finished_at is not null
      order by created_at desc offset 500)
  )
  insert into reminder_deliveries
    (user_id, id, about, status, attempts, late, used_acts, scheduled_at, next_attempt_at, created_at)
  select user_id, gen_random_uuid(), 'webhooks', 'queued', 0, false, '', ${now}, ${now}, ${now} from hook where is_off`;

type Context = ReminderStore &
  Readonly<{ config: Pick<Config, "webhookAllowLoopback" | "defaultTimeZone" | "baseUrl"> }>;

export function openEventPoster(context: Context) {
  const { database, config, travel } = context;
  const poster = openWebhookPoster(config.webhookAllowLoopback);
  const send = ({ url, secret, now_ms }: LeasedWebhook, id: string, event: object): Promise<ChannelResult> =>
    poster
      .post({ url, secret, id, at: new Date(now_ms) }, event)
      .catch((error) => sendFailed("It could not be sent, because of a fault here.", false, String(error)));
  return {
    /**
     * Posts the next few events of a webhook: what waits because it failed or was asked for, else changes from the log. A
     * receiver learns by `changes.restarted` that everything comes anew.
     * @returns whether there is more, at once or when an older transaction has ended
     */
    async postNext(key: WebhookKey): Promise<"nothing" | "more" | "later"> {
      const taken = await database.pool.query<LeasedWebhook>(take, [travel(), key.user_id, key.id]);
      const [hook] = taken.rows;
      if (!hook) return "nothing";
      const batch = (await findWaiting(context, hook)) ?? (await findChanges(context, hook));
      if (!batch) {
        const told = await send(hook, keyedId(hook.id, hook.cursor), restarted(hook));
        const cursor = told.ok ? beginning : hook.cursor;
        await noteResults(context, hook, { cursor, posts: [], results: [told] });
        return told.ok ? "more" : "nothing";
      }
      const events = await eventsOf(context, hook, batch.posts);
      const results = await Promise.all(batch.posts.map(({ id }, n) => send(hook, id, events[n] ?? {})));
      await noteResults(context, hook, { ...batch, results });
      if (!batch.isMore || results.some(({ ok }) => !ok)) return "nothing";
      return batch.posts.length > 0 ? "more" : "later";
    },
    close: poster.close,
  };
}

async function findWaiting({ database }: Context, hook: LeasedWebhook): Promise<Batch | undefined> {
  const { user_id, id, cursor, events, is_failing } = hook;
  const subjects = webhookSubjects.filter((subject) => events.includes(eventOfSubject[subject]));
  const values = [user_id, id, subjects, is_failing ? 1 : mostAtOnce];
  const { rows } = await database.pool.query<Post>(waiting, values);
  if (rows.length === 0) return undefined;
  // A thing has one post under way, which keeps its changes in order.
  const posts = new Map(rows.toReversed().map((post) => [`${post.subject} ${post.thing_id}`, post]));
  return { posts: [...posts.values()], cursor, isMore: true };
}

/**
 * Finds the next changes in the log.
 * @returns undefined when the cursor is outdated: after a restore or failover, or when deletions were forgotten while
 * the webhook was off
 */
async function findChanges(context: Context, hook: LeasedWebhook): Promise<Batch | undefined> {
  const { user_id, id, generation, cursor, events } = hook;
  const from = cursor === beginning ? {} : { cursor };
  const found = await readChangedThings(rowsOf(context, user_id), { ...from, isFinal: true, generation });
  if (!found) return undefined;
  const { things, cursorAt, next_cursor, has_more } = found;
  const wanted = things.filter(({ kind }) => events.includes(`${kind}.*`));
  const next = wanted.slice(0, mostAtOnce);
  const last = wanted.length > next.length ? next.at(-1) : undefined;
  return {
    // After a crash, a repeat has the same id.
    posts: next.map(({ kind, id: thing_id, place }) => ({
      ...{ id: keyedId(id, cursorAt(place)), subject: kind, thing_id },
    })),
    cursor: last ? cursorAt(last.place) : next_cursor,
    isMore: last !== undefined || has_more,
  };
}

type Results = Pick<Batch, "cursor" | "posts"> & Readonly<{ results: readonly ChannelResult[] }>;

async function noteResults(
  { database, travel }: Context,
  { user_id, id, lease }: LeasedWebhook,
  { cursor, posts, results }: Results,
): Promise<void> {
  const failures = results.flatMap((result) => (result.ok ? [] : result));
  const answers = failures.flatMap(({ answer }) => answer ?? []);
  const isFailing = results.length === 0 ? null : failures.length > 0;
  const holdMs = Math.max(0, ...answers.map(({ retryAfterMs }) => retryAfterMs));
  const isGone = answers.some(({ status }) => status === 410);
  const tried = posts.map((post, n) => ({ ...post, ...failureIn(results[n]) }));
  const values = [user_id, id, cursor, isFailing, holdMs, isGone, lease, JSON.stringify(tried)];
  await database.pool.query(note, [travel(), ...values]);
}

/** A receiver that is away, or asks for time, does not refuse what it gets. */
function failureIn(result: ChannelResult | undefined) {
  if (!result || result.ok) return { error: null, is_refusal: false };
  const { reason, answer } = result;
  return {
    error: reason,
    is_refusal: answer !== undefined && (answer.status === 500 || !mayPass(answer.status)),
  };
}

const restarted = ({ now_ms }: LeasedWebhook) => ({
  ...{ type: "changes.restarted", timestamp: new Date(now_ms).toISOString(), data: {} },
});

/** The events of posts: what GET /changes shows of their things now, which is at least as new as the changes. */
async function eventsOf(context: Context, hook: LeasedWebhook, posts: readonly Post[]) {
  const things = posts.map(({ subject, thing_id: id }) => ({ kind: kindOf(subject), id }));
  const view = { ...context.config, now: hook.now_ms, reader: { tokenId: "", name: null } };
  const timestamp = new Date(hook.now_ms).toISOString();
  return (await readChangedResources(rowsOf(context, hook.user_id), things, view)).map((data, n) => {
    const isDue = posts[n]?.subject !== data.type && !data.deleted;
    const type = isDue ? "reminder.due" : `${data.type}.${data.deleted ? "deleted" : "changed"}`;
    return { type, timestamp, data };
  });
}

function kindOf(subject: WebhookSubject): ResourceKind {
  if (subject === "due_todo") return "todo";
  return subject === "due_habit" ? "habit" : subject;
}

const rowsOf =
  ({ database }: Context, userId: string) =>
  async <Row extends object>(statement: Statement<Row>): Promise<Row[]> => {
    const { text, values } = statement.of(userId);
    return (await database.pool.query<Row>(text, values)).rows;
  };
