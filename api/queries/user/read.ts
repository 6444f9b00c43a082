import { presentSettings } from "../../../shared/db/present.ts";
import { type Found, own, selectFrom, statement } from "../../../shared/db/reads/statement.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { isRequestId as isUuid } from "../action/read.ts";
import { readOwnRules } from "../approval/read.ts";
import { type QueryContext, type QueryHandler, readDaySettings } from "../engine/context.ts";

export const readMe: QueryHandler<"me.get"> = async (query) => {
  const { timeZone, dayStartHour, today } = await readDaySettings(query);
  const { scopes, clientName, allowance } = query.token;
  return {
    today: today.date,
    time_zone: timeZone,
    day_start_hour: dayStartHour,
    reminders_reach: today.reaches,
    scopes: [...scopes],
    client_name: clientName,
    rules: await readOwnRules(query, today.date),
    rate_limit: allowance
      ? { limit: allowance.limit, remaining: allowance.remaining, reset: allowance.resetsAt }
      : null,
  };
};

const settingsAndTest = statement({}, () =>
  selectFrom(own("users").as("u"))
    .leftJoin(own("reminder_deliveries").as("d"), "d.id", "u.webhook_test_id")
    .selectAll("u")
    .select(["d.channel as test_channel", "d.status as test_status", "d.error as test_error"])
    .select(["d.created_at as test_created_at", "d.finished_at as test_finished_at"]),
);

const browsersOfUser = statement({}, () =>
  selectFrom(own("push_subscriptions").as("p"))
    .select(["p.id", "p.browser", "p.created_at"])
    .orderBy("p.created_at")
    .orderBy("p.id"),
);

export const readSettings: QueryHandler<"user.settings"> = async (query) => {
  const { rows } = query;
  const [daySettings, [user], browsers] = await Promise.all([
    readDaySettings(query),
    rows(settingsAndTest({})),
    rows(browsersOfUser({})),
  ]);
  return {
    ...presentSettings(user, daySettings),
    test: user ? lastTest(user) : null,
    browsers: browsers.map((one) => ({ ...one, created_at: timestamp(one.created_at) })),
  };
};

function lastTest(user: Found<typeof settingsAndTest>) {
  const { test_channel, test_status, test_error, test_created_at, test_finished_at } = user;
  if (test_status === null || test_created_at === null) return null;
  return {
    channel: test_channel ?? null,
    status: test_status,
    error: test_error,
    created_at: timestamp(test_created_at),
    finished_at: test_finished_at && timestamp(test_finished_at),
  };
}

const works = selectFrom(own("works").as("w")).select(["w.name", "w.done", "w.total"]);
const openWorks = statement({}, () =>
  works.where("w.ended_at", "is", null).orderBy("w.created_at").orderBy("w.id"),
);
const workById = statement({ id: "uuid" }, (value) =>
  works.select(["w.ended_at", "w.outcome"]).where("w.id", "=", value("id")),
);

export type OpenWork = Found<typeof openWorks>;

/** Unfinished long work of a user, in the order in which it will be done. */
export const readOpenWorks = ({ rows }: QueryContext): Promise<OpenWork[]> => rows(openWorks({}));

/** @returns a command's long work, also for a day after its end; null if there is none */
export async function readWork({ rows }: QueryContext, id: string): Promise<Found<typeof workById> | null> {
  if (!isUuid(id)) return null;
  const [found] = await rows(workById({ id }));
  return found ?? null;
}

/** True while a command's long work goes on; work that ended with its first step was never stored. */
export async function isUnderWay(query: QueryContext, id: string): Promise<boolean> {
  return (await readWork(query, id))?.ended_at === null;
}
