import { afterAll, expect, test } from "bun:test";
import { createAdmission } from "../../api/admission.ts";

const admission = createAdmission();
afterAll(() => admission.stop());

const requestOf = (sender: string, path = "/api/v1/todos") =>
  new Request(`http://localhost:3000${path}`, { headers: { authorization: `Bearer ${sender}` } });
const [flood, ada, health] = [requestOf("flood"), requestOf("ada"), requestOf("balancer", "/health/ready")];

/** One round of a process that has more to do than it can. @returns how many of each were admitted */
async function round(floods: number, busyMs: number) {
  const admitted = { flood: 0, ada: 0, health: 0 };
  for (let sent = 0; sent < floods; sent++) if (admission.admits(flood)) admitted.flood += 1;
  if (admission.admits(ada)) admitted.ada += 1;
  if (admission.admits(health)) admitted.health += 1;
  for (const until = performance.now() + busyMs; performance.now() < until; );
  await Bun.sleep(1);
  return admitted;
}

test("a burst is served whole, however late it makes us", async () => {
  expect(await round(5_000, 150)).toEqual({ flood: 5_000, ada: 1, health: 1 });
  await Bun.sleep(300);
});

test("few requests are served however slow the machine is", async () => {
  for (let turn = 0; turn < 12; turn++)
    expect(await round(20, 100)).toEqual({ flood: 20, ada: 1, health: 1 });
  await Bun.sleep(300);
});

test("when it lasts, whoever sends most is refused first, and all are served again when it is over", async () => {
  for (let turn = 0; turn < 30; turn++) await round(1_000, 100);
  const { flood, ada, health } = await round(1_000, 100);
  expect(flood).toBeLessThan(500);
  expect([ada, health]).toEqual([1, 1]);
  for (let turn = 0; turn < 120; turn++) {
    await Bun.sleep(25);
    await round(5, 0);
  }
  expect(await round(400, 0)).toEqual({ flood: 400, ada: 1, health: 1 });
});
