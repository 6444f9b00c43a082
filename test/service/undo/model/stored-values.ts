/** A value as PostgreSQL gives it back from a column of that type. */
export function asStored(type: string, value: unknown): unknown {
  if (value == null) return null;
  if (type === "timestamptz") return instant(String(value));
  if (type === "timestamp") return String(value).replace("T", " ");
  if (type === "timestamptz[]") return (value as unknown[]).map((one) => instant(String(one)));
  if (type === "jsonb") return inKeyOrder(value);
  return value;
}

const shape = /^(?<date>[\d-]+)[T ](?<time>[\d:]+)(\.(?<fraction>\d+))?(Z|\+00(:00)?)$/;

function instant(text: string): string {
  const { date, time, fraction = "" } = shape.exec(text)?.groups ?? {};
  if (!date || !time) throw new Error(`${text} is no instant in UTC.`);
  const rest = fraction.replace(/0+$/, "");
  return `${date} ${time}${rest && `.${rest}`}+00`;
}

/** jsonb keeps the shorter keys first. */
function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, inKeyOrder(one)]));
}
