import { expect, test } from "bun:test";
import { createNtfyChannel } from "../../../../workers/reminder/channels/ntfy.ts";
import { startInbox } from "../../../support/reminder/inbox.ts";
import { behavesAsChannel, closedAfter, delivery, deliveryOf, sendBy, todoOf } from "./suite.ts";

const inbox = startInbox();
const channel = closedAfter(createNtfyChannel({ webhookAllowLoopback: true }));
const strict = closedAfter(createNtfyChannel({ webhookAllowLoopback: false }));
const target = { channel: "ntfy", ntfy_url: `${inbox.url}/my-topic` } as const;

/** Decodes an encoded word (RFC 2047), as ntfy does. */
const decoded = (header = "") =>
  Buffer.from(/^=\?UTF-8\?B\?(.*)\?=$/.exec(header)?.[1] ?? "", "base64").toString();

behavesAsChannel("ntfy", {
  channel,
  target,
  unset: { channel: "ntfy", ntfy_url: null },
  broken: { ...target, ntfy_url: "http://127.0.0.1:9/topic" },
  refusals: { inbox, ends: [401, 403, 413, 307], passes: [429, 503] },
  seen: () =>
    inbox.taken.map(({ headers, body }) => ({
      id: headers["x-sequence-id"] ?? "",
      text: `${decoded(headers.title)}\n${body}`,
      late: body.includes("This reminder is late"),
    })),
});

test("a topic gets notes, link, buttons and the token", async () => {
  const todo = todoOf({ id: 7, description: "About the boat" });
  const sent = delivery({ ...target, todo, ntfy_token: "tk_secret" });
  expect(await sendBy(channel, sent)).toEqual({ ok: true });
  const { path, headers, body } = inbox.taken.at(-1) ?? { headers: {} as Record<string, string> };
  expect([path, headers.click, headers.authorization]).toEqual([
    "/my-topic",
    "https://kept.example/account/todos/7",
    "Bearer tk_secret",
  ]);
  expect(String(body)).toStartWith("About the boat\nReminder set for Sat 21 Nov 09:00");
  const actions = (headers.actions ?? "").split("; ").map((action) => action.split(", "));
  expect(actions.map(([kind, label, , clear]) => [kind, label, clear])).toEqual(
    ["Done", "In an hour", "Tomorrow"].map((label) => ["view", label, "clear=true"]),
  );
  expect(actions.map(([, , url = ""]) => deliveryOf(url))).toEqual(Array(3).fill(sent.id));
});

test("a topic in a private network gets nothing", async () => {
  for (const host of ["127.0.0.1", "10.0.0.1", "[fe80::1]", "localhost"])
    expect(await sendBy(strict, delivery({ ...target, ntfy_url: `https://${host}/topic` }))).toMatchObject({
      ok: false,
      reason: "The ntfy topic's address leads to no public server.",
    });
});
