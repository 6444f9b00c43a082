import { expect, test } from "bun:test";
import { isAnswer, isRolledBack } from "../../../../workers/commands/transaction/retries.ts";

const reported = (code: string, severity = "ERROR") =>
  Object.assign(new Error("Nachricht"), { code, severity });

test("what PostgreSQL answers is told by its code, in whichever language it speaks", () => {
  for (const severity of ["ERROR", "FEHLER", "ERREUR", "エラー"])
    for (const code of ["55P03", "23505", "40P01", "57014", "22P02"])
      expect(isAnswer(reported(code, severity))).toBe(true);
});

test("a session that ended, a full disk or a read-only server is an outage and no answer", () => {
  for (const code of ["08006", "57P01", "57P03", "25P03", "25P04", "53100", "53300", "58030", "25006"])
    expect(isAnswer(reported(code))).toBe(false);
  expect(isAnswer(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }))).toBe(false);
});

test("only a session that lived on has surely rolled back", () => {
  for (const code of ["55P03", "53100", "25006"]) expect(isRolledBack(reported(code))).toBe(true);
  for (const code of ["57P01", "08006", "25P03"]) expect(isRolledBack(reported(code))).toBe(false);
});
