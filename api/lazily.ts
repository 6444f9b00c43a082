/** @returns a function that makes a costly value at its first call, and returns it. A failure is not remembered. */
export function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  async function tryToMake(): Promise<Value> {
    try {
      return await make();
    } catch (error) {
      made = undefined;
      throw error;
    }
  }
  return () => {
    made ??= tryToMake();
    return made;
  };
}
