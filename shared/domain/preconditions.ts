/** The conditions of a request in its headers If-Match and If-None-Match (RFC 9110, 13.1). */
export type Preconditions = Readonly<{ ifMatch?: string | undefined; ifNoneMatch?: string | undefined }>;

/**
 * The strong entity tag of a resource, from its JSON: equal tags mean equal bytes. It has 64 bits, so two states share
 * a tag by chance once in 10^19; a client that forges one deceives only itself.
 */
export const entityTag = (json: string): string => `"${Bun.hash(json).toString(36)}"`;

/**
 * @param tag of the present resource; null if there is none
 * @returns the header whose condition fails; undefined when the request may be carried out
 */
export function failedPrecondition(
  { ifMatch, ifNoneMatch }: Preconditions,
  tag: string | null,
): "If-Match" | "If-None-Match" | undefined {
  if (ifMatch !== undefined && !isNamed(tag, ifMatch)) return "If-Match";
  // Only this header accepts weak tags.
  if (ifNoneMatch !== undefined && isNamed(tag, ifNoneMatch.replaceAll("W/", ""))) return "If-None-Match";
  return undefined;
}

function isNamed(tag: string | null, header: string): boolean {
  if (tag === null) return false;
  const tags: readonly string[] = header.match(/(W\/)?"[^"]*"/g) ?? [];
  return header.trim() === "*" || tags.includes(tag);
}
