import { Resolver } from "node:dns/promises";
import { isAllowedAddress, readReceiver } from "../../../../shared/domain/outside-address.ts";
import type { TargetColumn } from "../../../../shared/domain/reminder/channels.ts";
import { type FieldErrors, isRefused } from "../../../../shared/errors.ts";
import { browserName } from "../../../http/request.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { submit } from "../session/submit.ts";
import type { Texts, TypedTarget } from "./channels.ts";
import { showReminders } from "./page.ts";

/** POST /account/settings/day */
export async function saveDay(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const chosen = Object.fromEntries([...form].filter(([name]) => name !== "csrf"));
  const { day_start_hour: hour } = chosen;
  const outcome = await submit(visit, "user.configure", {
    ...chosen,
    ...(hour && { day_start_hour: Number(hour) }),
  });
  return isRefused(outcome) ? outcome : seeOther("/account/settings/day?done=day");
}

/** POST /account/settings/reminders */
export async function saveChannel(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const reminder_channel = form.get("reminder_channel") ?? "";
  const digest = form.get("digest") ?? undefined;
  const outcome = await submit(visit, "user.configure", { reminder_channel, digest });
  const done = reminder_channel === "log" ? "no-reminders" : "reminders";
  return isRefused(outcome) ? outcome : seeOther(`/account/settings?done=${done}`);
}

/** POST /account/settings/webhook, and likewise for each channel with an address: an empty one removes it. */
export const saveTarget =
  ({ channel, address, targets }: TypedTarget) =>
  async (visit: Visit, form: URLSearchParams): Promise<PageAnswer> => {
    const values = Object.fromEntries(
      targets.map(({ column }): [TargetColumn, string] => [column, (form.get(column) ?? "").trim()]),
    );
    const rejected = (errors: Texts) => showReminders(visit, { target: { values, errors } });
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
  if (!readReceiver(url, true)) return undefined;
  const receiver = readReceiver(url, webhookAllowLoopback);
  if (!receiver) return notHere;
  return (await resolvesToPrivate(receiver.hostname, webhookAllowLoopback)) ? notPublic : undefined;
}

type Resolve = (name: string) => Promise<readonly string[]>;

const patienceMs = 1_000;

/**
 * True if a name resolves to an address that reminders must not be sent to. An unresolvable name passes, because each
 * address is checked again when a reminder is sent.
 */
export async function resolvesToPrivate(
  hostname: string,
  allowLoopback: boolean,
  resolve: Resolve = addressesOf,
): Promise<boolean> {
  const addresses = await Promise.race([resolve(hostname), Bun.sleep(patienceMs).then(() => [])]).catch(
    () => [],
  );
  return addresses.some((address) => !isAllowedAddress(address, allowLoopback));
}

/** The system's own look-ups are few at a time in a process, so a slow name would delay others. */
async function addressesOf(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: patienceMs, tries: 1 });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
}

/** POST /account/settings/push */
export async function addBrowser(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const [endpoint, p256dh, auth] = ["endpoint", "p256dh", "auth"].map((name) => form.get(name) ?? "");
  const browser = browserName(visit.request.headers.get("user-agent") ?? "");
  const outcome = await submit(visit, "push.subscribe", { endpoint, p256dh, auth, browser });
  if (!isRefused(outcome)) return seeOther("/account/settings?done=push#push");
  const { code, message } = outcome.refusal;
  return code === "conflict" || code === "invalid" ? showReminders(visit, { browser: message }) : outcome;
}

/** POST /account/settings/push/remove */
export async function removeBrowser(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const outcome = await submit(visit, "push.unsubscribe", { id: form.get("id") ?? "" });
  return isRefused(outcome) ? outcome : seeOther("/account/settings?done=no-push#push");
}

/** POST /account/settings/reminders/again: sends a failed reminder once more, even if the button is pressed twice. */
export async function sendAgain(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const habit = form.get("habit_id");
  const thing = habit === null ? { todo_id: Number(form.get("todo_id")) } : { habit_id: Number(habit) };
  const delivery_id = form.get("delivery_id") ?? "";
  const outcome = await submit(visit, "reminder.send-again", { ...thing, delivery_id });
  if (!isRefused(outcome)) return seeOther("/account/settings?done=again#past");
  const { code, message } = outcome.refusal;
  if (code !== "conflict" && code !== "not_found") return outcome;
  return showReminders(visit, { again: message });
}
