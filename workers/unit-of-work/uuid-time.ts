/** The time in a UUIDv7 (RFC 9562 §5.7: it begins with the milliseconds since 1970). */
export const timeOfUuid = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
