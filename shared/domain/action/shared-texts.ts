/** Shorter JSON has no text worth sharing. */
const shortestJson = 4_096;
/** Longer than any name, because traces are found by names in stored JSON (UTF-16 units). */
const shortestText = 512;

/** A placeholder for a text beside the value. No field of a resource has this name. */
type Reference = Readonly<{ $text: number }>;
/** The texts, and the length of the JSON with all of them in it. */
type Texts = Readonly<{ texts: readonly string[]; length: number }>;

/**
 * @param json the JSON of `value`
 * @returns the same in fewer bytes if a long text occurs more than once: `[value with references, texts]`
 */
export function shareTexts(value: object, json: string): string {
  if (json.length < shortestJson) return json;
  const seen = new Set<string>();
  const places = new Map<string, number>();
  const note = (text: string) => {
    if (seen.has(text) && !places.has(text)) places.set(text, places.size);
    seen.add(text);
  };
  JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "string" && part.length >= shortestText) note(part);
    return part;
  });
  if (places.size === 0) return json;
  const shared = JSON.stringify(value, (_, part: unknown) => {
    const place = typeof part === "string" ? places.get(part) : undefined;
    return place === undefined ? part : ({ $text: place } satisfies Reference);
  });
  return `[${shared},${JSON.stringify({ texts: [...places.keys()], length: json.length } satisfies Texts)}]`;
}

/** Parses stored JSON and puts shared texts back. The JSON of the result equals the original to the byte. */
export function parseWithTexts(json: string): unknown {
  const parsed: unknown = JSON.parse(json);
  if (!Array.isArray(parsed)) return parsed;
  const [value, beside]: readonly unknown[] = parsed;
  return hasTexts(beside) ? resolve(value, beside.texts) : parsed;
}

/** @returns the length of stored JSON with all texts in it, without parsing */
export const lengthWithTexts = (stored: string): number =>
  Number(/\],"length":(\d+)\}\]$/.exec(stored.slice(-50))?.[1] ?? stored.length);

const hasTexts = (beside: unknown): beside is Texts =>
  typeof beside === "object" && beside !== null && "texts" in beside;

function resolve(value: unknown, texts: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one) => resolve(one, texts));
  if (typeof value !== "object" || value === null) return value;
  if ("$text" in value) return texts[value.$text as number];
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolve(part, texts)]));
}
