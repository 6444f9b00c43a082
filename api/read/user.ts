import { clockOf, type Read } from "./reader.ts";

export const settings: Read<"user.settings"> = async (reader) => {
  const { timeZone, dayStartHour } = await clockOf(reader);
  return { time_zone: timeZone, day_start_hour: dayStartHour };
};
