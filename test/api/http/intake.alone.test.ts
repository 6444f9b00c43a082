import { afterAll, expect, test } from "bun:test";
import { createAdmission } from "../../../api/http/intake.ts";
import { pathOf } from "../../../api/http/request.ts";
import { createStatusPages } from "../../../shared/process/observe/status-pages.ts";
import { wordsIn } from "../../support/text-table.ts";

const admission = createAdmission();
afterAll(() => admission.stop());

/** One round of an overloaded process, which answers requests only after the round. @returns how many of each were admitted */
async function round(floods: number, busyMs: number) {
  const leave: (() => void)[] = [];
  const enter = (sender: string): number => {
    const left = admission.admit(() => sender);
    if (left) leave.push(left);
    return left ? 1 : 0;
  };
  let admitted = 0;
  for (let sent = 0; sent < floods; sent++) admitted += enter("flood");
  const result = { flood: admitted, ada: enter("ada") };
  for (const until = performance.now() + busyMs; performance.now() < until; );
  for (const one of leave) one();
  await Bun.sleep(1);
  return result;
}

test("a burst is served whole, however late it makes us", async () => {
  expect(await round(5_000, 150)).toEqual({ flood: 5_000, ada: 1 });
  await Bun.sleep(300);
});

test("few requests are served however slow the machine is", async () => {
  for (let turn = 0; turn < 12; turn++) expect(await round(20, 100)).toEqual({ flood: 20, ada: 1 });
  await Bun.sleep(300);
});

test("when it lasts, whoever sends most is refused first, and all are served again when it is over", async () => {
  for (let turn = 0; turn < 10; turn++) await round(1_000, 100);
  expect(await round(1_000, 100)).toEqual({ flood: 250, ada: 1 });
  for (let turn = 0; turn < 120; turn++) {
    await Bun.sleep(25);
    await round(5, 0);
  }
  expect(await round(1_000, 0)).toEqual({ flood: 1_000, ada: 1 });
});

test("under a crowd nobody beyond the limit is let in", async () => {
  for (let turn = 0; turn < 10; turn++) await round(1_000, 100);
  const crowd = Array.from({ length: 600 }, (_, n) => admission.admit(() => `user ${n}`));
  const admitted = crowd.filter((leave) => leave !== undefined);
  expect(admitted).toHaveLength(500);
  expect(admission.isFull()).toBe(true);
  for (const leave of admitted) {
    leave();
    leave();
  }
  expect(admission.isFull()).toBe(false);
});

test("refusals prolong nothing: two seconds after the process was last late, nobody is refused", async () => {
  for (let turn = 0; turn < 10; turn++) await round(1_000, 100);
  const held = Array.from({ length: 500 }, (_, n) => admission.admit(() => `user ${n}`));
  let refused = 0;
  for (const since = performance.now(); performance.now() - since < 4_000; await Bun.sleep(50)) {
    const leave = admission.admit(() => "late");
    if (leave) leave();
    else refused += 1;
  }
  expect(refused).toBeGreaterThan(10);
  const after = admission.admit(() => "late");
  expect(after).toBeDefined();
  for (const leave of [...held, after]) leave?.();
});

test("only a status page itself goes past admission, nothing whose address ends like one", () => {
  const find = createStatusPages({
    exposition: { answer: async () => new Response() },
    ready: async () => ({ status: "ok", missing: [] }),
    isDraining: () => false,
  });
  const isFoundAt = (path: string) => find("GET", pathOf(`http://localhost:3000${path}`)) !== undefined;
  const checks = wordsIn(`
  /health/ready /health/ready?from=balancer /health/accepting /health/live /metrics`);
  expect(checks.map(isFoundAt)).toEqual(checks.map(() => true));
  const others = wordsIn(`
  /api/v1/todos?x=/health/ready /api/v1/health/ready /?/health/ready /health/ready/x`);
  expect(others.map(isFoundAt)).toEqual(others.map(() => false));
});
