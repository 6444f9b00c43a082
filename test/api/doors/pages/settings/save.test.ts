import { expect, test } from "bun:test";
import { resolvesToPrivate } from "../../../../../api/doors/pages/settings/save.ts";

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
