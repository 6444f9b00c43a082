/** The conditions of a request, as its headers If-Match and If-None-Match have them (RFC 9110, 13.1). */
export type Preconditions = Readonly<{ ifMatch?: string | undefined; ifNoneMatch?: string | undefined }>;

/**
 * The strong entity tag of a resource, from its JSON as it is shown: equal tags mean equal bytes. Of 64 bits, two
 * states of one resource share a tag by chance once in 10^19, and who makes them do so on purpose deceives himself.
 */
export const entityTag = (json: string): string => `"${Bun.hash(json).toString(36)}"`;

/**
 * @param tag of the resource as it is; null when there is none
 * @returns the header whose condition does not hold; undefined when the request may be carried out
 */
export function failedPrecondition(
  { ifMatch, ifNoneMatch }: Preconditions,
  tag: string | null,
): "If-Match" | "If-None-Match" | undefined {
  if (ifMatch !== undefined && !isNamed(tag, ifMatch)) return "If-Match";
  // Weak tags count in this header alone.
  if (ifNoneMatch !== undefined && isNamed(tag, ifNoneMatch.replaceAll("W/", ""))) return "If-None-Match";
  return undefined;
}

function isNamed(tag: string | null, header: string): boolean {
  if (tag === null) return false;
  const tags: readonly string[] = header.match(/(W\/)?"[^"]*"/g) ?? [];
  return header.trim() === "*" || tags.includes(tag);
}
