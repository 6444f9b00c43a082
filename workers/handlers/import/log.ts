import type { ActionImagesRow } from "../../../shared/db/entities.ts";
import { shareTexts } from "../../../shared/domain/action/shared-texts.ts";
import { changedImages, writeAction } from "../action/action-log.ts";
import type { HandlerContext } from "../handler.ts";

/** The key of an import in the log. */
export type ImportAction = Pick<ActionImagesRow, "called_at" | "request_id">;

/** @returns the time of an import in the log, in milliseconds: its steps have the microseconds after it */
export const timeOfImport = ({ nowMs }: HandlerContext): string => new Date(nowMs).toISOString();

/**
 * Logs an import as one action, unless it makes nothing.
 * @param later names of rows that its other steps make, so that the log finds it by each of its things
 */
export function logImport(context: HandlerContext, request_id: string, later: readonly string[]): void {
  const { before, after } = changedImages(context, context.takeChanges());
  const all = { ...Object.fromEntries(later.map((name) => [name, {}])), ...after };
  if (Object.keys(all).length === 0) return;
  const call = {
    ...{ requestId: request_id, startedAt: context.nowMs, tool: "import.apply", arguments: "{}" },
    ...({ door: "page", tokenId: "", clientName: null } as const),
  };
  writeAction(context, call, { outcome: "ok", replayed: false, images: { before, after: all } });
}

/** Adds images of another step to an import. */
export function logStep(
  context: HandlerContext,
  { called_at, request_id }: ImportAction,
  step: number,
): void {
  const { after } = changedImages(context, context.takeChanges());
  const json = JSON.stringify(after);
  if (json === "{}") return;
  context.images.insert({
    ...{ request_id, called_at: called_at.replace("Z", `${String(step).padStart(3, "0")}Z`) },
    ...{ before: "{}", after: shareTexts(after, json) },
  });
}
