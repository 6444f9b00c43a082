import { type Static, Type } from "typebox";
import { query } from "../kernel/contract.ts";
import { Id, Nullable, OneOf, Reach, TodayFields, titled } from "../kernel/fields.ts";
import { allScopes } from "../kernel/scopes.ts";

const Me = titled(
  "Me",
  Type.Object({
    ...TodayFields,
    day_start_hour: Type.Integer({ description: "The hour at which the user's day begins, 0 to 6" }),
    reminders_reach: Reach,
    scopes: Type.Array(titled("Scope", OneOf(allScopes))),
    client_name: Nullable(Type.String()),
    rules: Nullable(
      titled(
        "Rules",
        Type.Object({
          asks_deletions: Type.Boolean({ description: "Deletions wait for the person's approval" }),
          ask_above: Nullable(
            Type.Integer({ description: "Changes of more things at once wait for the person's approval" }),
          ),
          changes_per_day: Nullable(Type.Integer()),
          changes_left: Nullable(Type.Integer()),
          deletions_per_day: Nullable(Type.Integer()),
          deletions_left: Nullable(Type.Integer()),
          category: Nullable(
            titled(
              "OnlyCategory",
              Type.Object(
                { id: Id, name: Nullable(Type.String()) },
                { description: "The only category whose things it may change; without a name it is deleted" },
              ),
            ),
          ),
        }),
      ),
    ),
    rate_limit: Nullable(
      titled(
        "RateLimit",
        Type.Object({
          limit: Type.Integer(),
          remaining: Type.Integer(),
          reset: Type.Integer({ description: "When the window ends, in epoch seconds" }),
        }),
      ),
    ),
  }),
);

const exampleMe: Static<typeof Me> = {
  today: "2026-11-20",
  time_zone: "UTC",
  day_start_hour: 0,
  reminders_reach: "nobody",
  scopes: [...allScopes],
  client_name: "Claude Code",
  rules: null,
  rate_limit: { limit: 60, remaining: 59, reset: 1795163460 },
};

export const getMe = query({
  name: "me.get",
  scopes: [],
  summary:
    "The user's day, and what the token of this request may do; rules is null if the person set none, rate_limit where the limit is turned off",
  rest: [
    {
      operationId: "getMe",
      method: "GET",
      path: "/me",
      status: 200,
      example: { input: {}, output: exampleMe },
    },
  ],
  input: Type.Object({}),
  output: Me,
});
