/** A zone by its hours before UTC, from -12 to 14. */
export const zoneOf = (offset: number) => ({
  offset,
  name: `Etc/GMT${offset > 0 ? "-" : "+"}${Math.abs(offset)}`,
});

/** A zone whose clock shows this hour at that time, from -11 to 12, so that there is one an hour west of it. */
export const zoneWhere = (hour: number, at: Date) => zoneOf(((hour - at.getUTCHours() + 35) % 24) - 11);

export const hourMs = 3_600_000;

export const lastFullHour = (): Date => new Date(Math.floor(Date.now() / hourMs) * hourMs);
