/** The user's present day and zone, needed to present a row. */
export type Today = Readonly<{ date: string; timeZone: string }>;
