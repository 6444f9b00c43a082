/** The user's present day and zone, in which a row is presented. */
export type Today = Readonly<{ date: string; timeZone: string }>;
