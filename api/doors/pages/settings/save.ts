import { mayBePublic } from "../../../../shared/domain/public-address.ts";
import type { TargetColumn } from "../../../../shared/domain/reminder/channels.ts";
import { type FieldErrors, isRefused } from "../../../../shared/errors.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { submit } from "../session/submit.ts";
import { showSettings } from "./page.ts";
import type { TypedTarget } from "./target-cards.ts";
import type { Texts } from "./user-settings.ts";
import { resolvesToPrivate } from "./webhook-host.ts";

/** POST /account/settings/day */
export async function saveDay(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  return save(visit, "day", {
    time_zone: form.get("time_zone") ?? undefined,
    day_start_hour: Number(form.get("day_start_hour")),
  });
}

/** POST /account/settings/reminders */
export async function saveChannel(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  return save(visit, "reminders", {
    reminder_channel: form.get("reminder_channel") ?? "",
    digest: form.get("digest") ?? undefined,
  });
}

/** POST /account/settings/webhook, and likewise for each channel with an address: an empty one removes it. */
export const saveTarget =
  ({ channel, address, targets }: TypedTarget) =>
  async (visit: Visit, form: URLSearchParams): Promise<PageAnswer> => {
    const values = Object.fromEntries(
      targets.map(({ column }): [TargetColumn, string] => [column, (form.get(column) ?? "").trim()]),
    );
    const rejected = (errors: Texts) => showSettings(visit, { target: { values, errors } });
    const error =
      address.format.endsWith("-url") && (await privateTarget(visit, values[address.column] ?? ""));
    if (error) return rejected({ [address.column]: error });
    const isGone = values[address.column] === "";
    const fields = isGone ? { [address.column]: null } : typedFields(targets, values);
    const outcome = await submit(visit, "user.configure", fields);
    if (!isRefused(outcome)) return seeOther(`/account/settings?done=${isGone ? "no-" : ""}${channel}`);
    const { errors } = outcome.refusal;
    if (!errors) return outcome;
    return rejected(isGone ? { [address.column]: inUse } : inCard(errors));
  };

/** A secret that is left empty stays as it is, because no page shows it again. */
const typedFields = (targets: TypedTarget["targets"], values: Texts) =>
  Object.fromEntries(
    targets.flatMap(({ column, secret }) =>
      secret && values[column] === "" ? [] : [[column, values[column] || null]],
    ),
  );

const inCard = (errors: FieldErrors): Texts =>
  Object.fromEntries(
    Object.entries(errors).map(([column, [wrong = ""]]) => [column, wrong.replace(/^The \w+ field/, "This")]),
  );

const inUse = "Reminders go to it: choose another way for them above before you remove it.";
const notHere = "This must be a public https address: reminders are not sent to this machine.";
const notPublic = "This must be a public https address: its name leads into a private network.";

/** @returns the reason not to send to this address; the contract checks its form */
async function privateTarget({ context }: Visit, url: string): Promise<string | undefined> {
  const { webhookAllowLoopback } = context.config;
  const host = URL.parse(url)?.hostname;
  if (host === undefined || !mayBePublic(host, true)) return undefined;
  if (!mayBePublic(host, webhookAllowLoopback)) return notHere;
  return (await resolvesToPrivate(host, webhookAllowLoopback)) ? notPublic : undefined;
}

async function save(visit: Visit, done: string, fields: Record<string, unknown>): Promise<PageAnswer> {
  const outcome = await submit(visit, "user.configure", fields);
  return isRefused(outcome) ? outcome : seeOther(`/account/settings?done=${done}`);
}
