import { expect, mock, test } from "bun:test";
import { batchVersion } from "../../../../shared/queue/batch.ts";
import { runCommands } from "../../../../workers/commands/transaction/transaction.ts";

const command = {
  ticket: 1,
  id: "0198a000-0000-7000-8000-000000000000",
  userId: "grace",
  name: "todo.create",
  input: { title: "Call Ada" },
  fingerprint: null,
  acceptedAt: 0,
  sentAt: 0,
} as const;
const received = {
  command,
  repeat: false,
  maybeApplied: false,
  batch: { v: batchVersion, id: "batch", replyTo: "door", commands: [command], receivedAt: 0 },
} as const;

/** Runs one command on a pool that gives out this connection. */
async function runOn(connect: () => Promise<unknown>) {
  const log = { warn: mock(), error: mock() };
  const metrics = { ended() {}, committed() {} };
  const counting = { openNewRows: () => ({ reserve() {} }) };
  const context = { pool: { connect }, tables: {}, ...counting, log, metrics, tracing: undefined };
  const { replies } = await runCommands(
    context as unknown as Parameters<typeof runCommands>[0],
    [received],
    "skip",
  );
  return { outcome: replies[0]?.[1].outcome, log };
}

test("the loss of the database is an outage: one warning, and the caller may try again", async () => {
  const { outcome, log } = await runOn(async () => {
    throw new TypeError("a driver may throw any class");
  });
  expect(outcome).toMatchObject({ refusal: { code: "overloaded", applied: "no" } });
  expect(log.warn.mock.calls).toEqual([
    [{ commands: 1, reason: "a driver may throw any class" }, "database unavailable"],
  ]);
  expect(log.error).not.toHaveBeenCalled();
});

test("a fault of the workers' own code is logged as an error with its stack", async () => {
  const client = { query: async () => ({ rows: undefined }), release() {} };
  const { outcome, log } = await runOn(async () => client);
  expect(outcome).toMatchObject({ refusal: { code: "internal", applied: "no" } });
  const [fields, message] = log.error.mock.calls[0] ?? [];
  expect(message).toBe("command failed");
  expect(fields).toMatchObject({ command: "todo.create", by: "fault" });
  expect(fields.reason).toContain("connection.ts");
  expect(log.warn).not.toHaveBeenCalled();
});
