import type { AccountMessage, ReminderDeliveryRow } from "../../shared/db/entities.ts";
import { now } from "./store.ts";

/** The subject of a message that is no reminder, with what it counts. */
export type About = Readonly<{ kind: Kind; counts: readonly ClientCount[]; said?: AccountMessage | null }>;

type Kind = NonNullable<ReminderDeliveryRow["about"]>;
type ClientCount = Readonly<{ client: string; count: number }>;

/** The newest calls that a digest looks at, reads included. */
const mostCalls = 10_000;

/** The last digest that reached the person or had nothing to tell. The first one goes back a day or a week. */
const since = `
  (select coalesce(max(p.scheduled_at) filter (where p.status in ('sent', 'cancelled')),
     min(p.scheduled_at) - case u.digest when 'weekly' then interval '7 days' else interval '1 day' end)
   from reminder_deliveries p
   where p.user_id = d.user_id and p.about = 'digest' and p.scheduled_at <= d.scheduled_at)`;

type Words = Readonly<{
  /** The rows that count for a delivery `d` of a user `u`, each with the client to which it belongs. */
  counted: string;
  /** The webhook's type of event, and its field for the number. */
  event: string;
  field: string;
  title(count: number): string;
  notes(counts: readonly ClientCount[]): string;
  path: string;
}>;

const kinds: Readonly<Record<Kind, Words>> = {
  approvals: {
    counted: `
      select a.client_name, a.token_id from approvals a
      where a.user_id = d.user_id and a.state = 'waiting' and a.expires_at > ${now}`,
    event: "approvals.waiting",
    field: "waiting",
    title: (count) =>
      count === 1 ? "A request waits for your approval" : `${count} requests wait for your approval`,
    notes: () => "An agent asked for it. Nothing happens before you decide.",
    path: "/account/approvals",
  },
  webhooks: {
    counted: `
      select substring(w.url from '^https?://([^/?#]+)') as client_name, '' as token_id from webhooks w
      where w.user_id = d.user_id and w.disabled_at is not null and not w.is_active`,
    event: "webhooks.disabled",
    field: "disabled",
    title: () => "A webhook was switched off, because its receiver failed for days or wants no more",
    notes: (counts) => `${counts.map(({ client }) => client).join(", ")} did not take your changes.`,
    path: "/account/webhooks",
  },
  account: {
    counted: "select 'Kept' as client_name, '' as token_id",
    event: "account.changed",
    field: "messages",
    title: () => "Something happened to your account",
    notes: () => "",
    path: "/account/journal",
  },
  digest: {
    counted: `
      select l.client_name, l.token_id from (
        select l.* from action_log l
        where l.user_id = d.user_id and l.called_at < d.scheduled_at and l.called_at >= ${since}
        order by l.called_at desc, l.request_id desc limit ${mostCalls}
      ) l
      where u.digest <> 'never' and l.door <> 'page' and l.outcome = 'ok' and (l.before is not null or l.after is not null)`,
    event: "agents.digest",
    field: "changes",
    title: (count) => `Agents made ${inWords(count)}`,
    notes: (counts) =>
      [
        ...counts.slice(0, mostNamed).map(({ client, count }) => `${client}: ${inWords(count)}`),
        ...(counts.length > mostNamed ? [`Others: ${inWords(total(counts.slice(mostNamed)))}`] : []),
        "The page Actions shows them. There you can take them back, all or some.",
      ].join("\n"),
    path: "/account/actions",
  },
};

const mostNamed = 5;

const inWords = (count: number): string => (count === 1 ? "1 change" : `${count} changes`);
const total = (counts: readonly ClientCount[]): number => counts.reduce((sum, { count }) => sum + count, 0);

const byClient = ({ counted }: Words): string => `
  (select jsonb_agg(to_jsonb(c) order by c.count desc, c.client)
   from (
     select coalesce(client_name, 'Token ' || left(token_id, 8)) as client, count(*)::int as count
     from (${counted}) counted group by 1
   ) c)`;

/** An expression for the counts of a delivery `d` of a user `u`; null if there is nothing to tell. */
export const counts = `case d.about ${Object.entries(kinds)
  .map(([kind, words]) => `when '${kind}' then ${byClient(words)}`)
  .join(" ")} end`;

/** The message about it, and the webhook's event. */
export function tell({ kind, counts, said }: About) {
  const { event, field, title, notes, path } = kinds[kind];
  const count = total(counts);
  return {
    event,
    data: { [field]: count },
    subject: said
      ? { title: said.title, notes: said.notes, due: "", path: said.url }
      : { title: title(count), notes: notes(counts), due: "", path },
  };
}
