/** Remembers what `find` resolves to, and asks again when that is `maxAgeMs` old. A failure is not remembered. */
export function rememberFor<Value>(maxAgeMs: number, find: () => Promise<Value>): () => Promise<Value> {
  let known: { value: Promise<Value>; until: number } | undefined;
  return () => {
    if (known && known.until > Date.now()) return known.value;
    const value = find();
    known = { value, until: Date.now() + maxAgeMs };
    value.catch(() => {
      known = undefined;
    });
    return value;
  };
}
