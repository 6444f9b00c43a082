import { isCalendarDate } from "../kernel/text.ts";

/** A todo's place among completed ones, newest first. */
export type DonePlace = Readonly<{ id: number; completed_on: string; completed_at: string }>;

const shape = /^done\.(\d{4}-\d{2}-\d{2})\.(\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{6}Z)\.([1-9]\d{0,15})$/;

export const doneCursor = ({ id, completed_on, completed_at }: DonePlace): string =>
  `done.${completed_on}.${completed_at}.${id}`;

/** @returns undefined when the text is no cursor of completed todos */
export function parseDoneCursor(text: string): DonePlace | undefined {
  const [, completed_on = "", completed_at = "", id] = shape.exec(text) ?? [];
  const isInstant = !Number.isNaN(Date.parse(completed_at));
  if (!isInstant || !isCalendarDate(completed_on) || !Number.isSafeInteger(Number(id))) return undefined;
  return { id: Number(id), completed_on, completed_at };
}
