import { type Static, Type } from "typebox";
import { query } from "../kernel/contract.ts";
import { Nullable, OneOf, Reach, TodayFields, titled } from "../kernel/fields.ts";
import { allScopes } from "../kernel/scopes.ts";

const Me = titled(
  "Me",
  Type.Object({
    ...TodayFields,
    day_start_hour: Type.Integer({ description: "The hour at which the user's day begins, 0 to 6" }),
    reminders_reach: Reach,
    scopes: Type.Array(titled("Scope", OneOf(allScopes))),
    client_name: Nullable(Type.String()),
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
  rate_limit: { limit: 60, remaining: 59, reset: 1795163460 },
};

export const getMe = query({
  name: "me.get",
  scopes: [],
  summary:
    "The user's day, and what the token of this request may do; rate_limit is null where the limit is turned off",
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
