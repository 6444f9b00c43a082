import { afterAll } from "bun:test";
import { startStack } from "../../harness.ts";
import { openUndoDoor } from "../undo-door.ts";

/** A service whose clock the test sets to days of May 2026 (the 4th is a Monday), and habits of new people. */
export async function startInMay() {
  // Registered before the stack's own, so that it runs first: the stack counts connections.
  afterAll(() => page.close());
  const stack = await startStack();
  const { page, someone } = await openUndoDoor(stack);
  return {
    stack,
    /** Sets the clock to noon of a day. */
    at(n: number): void {
      stack.clock.now = Date.UTC(2026, 4, n, 12);
    },
    day: (n: number): string => new Date(Date.UTC(2026, 4, n)).toISOString().slice(0, 10),
    async habit(fields: object = {}) {
      const one = await someone();
      const body = { name: "Run", type: "good", frequency: "daily", grace_days: 0, ...fields };
      const { id } = (await one.rest("POST", "/habits", body)).body;
      const path = `/habits/${id}`;
      return {
        ...one,
        id,
        path,
        get: async () => (await one.rest("GET", path)).body,
        patch: (change: object) => one.rest("PATCH", path, change),
        complete: (body?: object) => one.rest("POST", `${path}/complete`, body),
        completions: async () => (await one.rest("GET", `${path}/completions`)).body.data,
        due: async () => (await one.rest("GET", "/habits?due=today")).body.data.length === 1,
      };
    },
  };
}
