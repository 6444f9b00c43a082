// The tests of recurrence.property.test.ts, with ten times as many histories from completion.
Bun.env.LIVES ??= "20000";
await import("./recurrence.property.test.ts");

export {};
