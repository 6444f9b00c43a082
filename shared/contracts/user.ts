import { Type } from "typebox";
import Format from "typebox/format";
import { isTimeZone } from "../domain/day.ts";
import { command, query } from "./contract.ts";
import { Clearable, Timestamp, WholeNumber } from "./fields.ts";

Format.Set("time-zone", isTimeZone);

const TimeZone = Type.String({
  format: "time-zone",
  maxLength: 64,
  expects: "an IANA time zone such as Europe/Berlin",
});

export const Settings = Type.Object({ time_zone: Type.String(), day_start_hour: Type.Integer() });

export const getSettings = query({
  name: "user.settings",
  scopes: [],
  summary: "View the user's time zone and start of day",
  input: Type.Object({}),
  output: Settings,
});

export const changeSettings = command({
  name: "user.configure",
  scopes: [],
  summary: "Choose the time zone and the hour at which the user's day starts",
  input: Type.Object({
    time_zone: Type.Optional(TimeZone),
    day_start_hour: Clearable(WholeNumber(0, 6)),
  }),
  output: Settings,
});

export const adoptZone = command({
  name: "user.adopt-zone",
  scopes: [],
  summary: "Take the time zone from the newest-issued token, unless the user chose one",
  input: Type.Object({ time_zone: TimeZone, issued_at: Timestamp }),
  output: Settings,
});

export const deleteUser = command({
  name: "user.delete",
  scopes: [],
  summary: "Delete everything the service holds of a user whose account is closed",
  input: Type.Object({}),
  output: Type.Null(),
});
