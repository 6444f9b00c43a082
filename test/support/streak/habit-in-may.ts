import { useStack } from "../../harness.ts";
import { useUndoDoor } from "../undo-door.ts";
import { day } from "./streak-steps.ts";

/** A service whose clock the test sets to days of May 2026 (the 4th is a Monday), and habits of new people. */
export async function useMay() {
  const stack = await useStack({ travels: true });
  const { page, someone } = await useUndoDoor(stack);
  return {
    page,
    day,
    /** Sets the clock to noon of a day. */
    at(n: number): void {
      stack.clock.now = Date.UTC(2026, 4, n, 12);
    },
    async habit(fields: object = {}, claims: object = {}) {
      const one = await someone(claims);
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
        takeBack: (date?: string) => one.rest("DELETE", `${path}/complete${date ? `?date=${date}` : ""}`),
        completions: async () => (await one.rest("GET", `${path}/completions`)).body.data,
        skip: (body?: object) => one.rest("POST", `${path}/skip`, body),
        unskip: (date?: string) => one.rest("DELETE", `${path}/skip${date ? `?date=${date}` : ""}`),
        due: async () => (await one.rest("GET", "/habits?due=today")).body.data.length === 1,
      };
    },
  };
}
