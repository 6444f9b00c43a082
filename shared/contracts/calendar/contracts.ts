import { Type } from "typebox";
import { command } from "../kernel/contract.ts";
import { Nullable } from "../kernel/fields.ts";

export const setCalendarFeed = command({
  name: "calendar.set",
  scopes: [],
  summary: "Give the user's calendar feed a new secret address in place of any earlier one, or none",
  input: Type.Object({
    secret_hash: Nullable(Type.String({ pattern: "^[A-Za-z0-9_-]{43}$", expects: "a sha256 in base64url" })),
  }),
  output: Type.Null(),
  events: ({ secret_hash }) => [{ kind: "feed_changed", details: { isOn: secret_hash !== null } }],
});
