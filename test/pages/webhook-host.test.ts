import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { resolvesToPrivate } from "../../api/account/settings/webhook-host.ts";
import { sampleEvent, verifyingLines } from "../../api/account/settings/webhook-sample.ts";
import { freePort } from "../harness.ts";

const leadsTo = (...addresses: string[]) =>
  resolvesToPrivate("hooks.example.com", false, async () => addresses);

test("a name with one address in a private network is refused when it is saved", async () => {
  expect(await leadsTo("93.184.215.14", "2a00:1450:4001::8b")).toBe(false);
  for (const address of ["10.0.0.1", "169.254.169.254", "127.0.0.1", "fd00::1", "::ffff:10.0.0.1"])
    expect(await leadsTo("93.184.215.14", address)).toBe(true);
  expect(await resolvesToPrivate("here.example.com", true, async () => ["127.0.0.1"])).toBe(false);
});

test("a name that cannot be resolved, or takes too long, is looked at when a reminder is sent", async () => {
  const failing = () => Promise.reject(new Error("ENOTFOUND"));
  expect(await resolvesToPrivate("nobody.example.com", false, failing)).toBe(false);
  expect(await resolvesToPrivate("slow.example.com", false, () => new Promise(() => {}))).toBe(false);
});

test("the receiver on the page takes what is signed with the secret, and nothing else", async () => {
  const port = freePort();
  const secret = `whsec_${Buffer.from("x".repeat(32)).toString("base64")}`;
  const script = verifyingLines.replace(/^import .*\n/gm, "").replace(/^/, imports);
  const receiver = Bun.spawn([process.execPath, "-e", script], {
    env: { ...process.env, PORT: String(port), KEPT_WEBHOOK_SECRET: secret },
    cwd: import.meta.dir,
  });
  const send = (signedWith: string) => {
    const body = JSON.stringify(sampleEvent);
    const at = new Date();
    const headers = {
      "webhook-id": "1",
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(signedWith).sign("1", at, body),
    };
    return fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body });
  };
  for (let tries = 0; tries < 50; tries++) {
    await Bun.sleep(100);
    if (await send(secret).catch(() => undefined)) break;
  }
  expect((await send(secret)).status).toBe(204);
  expect((await send(`whsec_${Buffer.from("y".repeat(32)).toString("base64")}`)).status).toBe(401);
  receiver.kill();
});

const imports = verifyingLines.match(/^import .*\n/gm)?.join("") ?? "";
