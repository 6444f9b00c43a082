import { maxUndone, maxUndoneLength, type stepsOfRun } from "../../../shared/contracts/action/contracts.ts";
import type { Commands, InputOf, OutputOf } from "../../../shared/contracts/catalogue.ts";
import type { ActionRow } from "../../../shared/db/entities.ts";
import { withinLength } from "../../../shared/domain/action/images.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { isRefused } from "../../../shared/errors.ts";
import { membersAtOnce, returnMembers } from "../category.ts";
import { beginWork, countRows, type Handler, type Step, type StepContext, type Steps } from "../handler.ts";

type Run = InputOf<Commands["action.undo-run"]>;
type Key = Pick<ActionRow, "called_at" | "request_id">;
type Answer = OutputOf<Commands["action.undo"]>;

/**
 * The progress of an undo of many actions. It goes from the newest action to the oldest until a whole pass undoes
 * nothing, because an action may have to wait for an older one that was carried out later. A last pass undoes
 * actions in part.
 */
type Progress = Readonly<{
  /** The last action of this pass. */
  place: Key;
  undone: number;
  waiting: number;
  isLastPass: boolean;
  /** Categories whose members must be back before older actions are undone. */
  left: Answer["left"];
}>;

export const actionUndoRun: Handler<"action.undo-run"> = {
  run: (context, run) => ({ work_id: beginWork(context, "action.undo-run", run) }),
  steps: {
    async part(context) {
      const { input: run } = context;
      const progress: Progress = context.cursor === null ? newPass(run, false) : JSON.parse(context.cursor);
      const { left } = progress;
      if (left.length === 0) return takeBackNext(context, run, progress);
      const returned = await returnMembers(context.connection, context.userId, left);
      return stepTo({ ...progress, left: returned < membersAtOnce ? [] : left }, 0);
    },
    left(context) {
      const { input: run } = context;
      const rows = `from (${looked("a.undone_by, a.before, a.after")}) a where ${stands}`;
      const values = [context.userId, run.token_id, run.from, run.to, firstId, mostCounted];
      return countRows(context, rows, values);
    },
  } satisfies Steps<Run>,
};

async function takeBackNext(context: StepContext, run: Run, progress: Progress): Promise<Step> {
  const { actions, next } = await standing(context, run, progress.place);
  if (actions.length === 0) return next ? stepTo({ ...progress, place: next }, 0) : passEnded(run, progress);
  const isWholeRun = progress.place.request_id === firstId && next === undefined;
  const step = progress.isLastPass ? "part" : isWholeRun ? "whole_unless_all" : "whole";
  const { ends, left } = await undo(context, actions, step);
  const undone = ends.filter((end) => end.undone !== "none").length;
  const reached = ends.length < actions.length ? ends.at(-1) : next;
  const after: Progress = {
    ...progress,
    left,
    undone: progress.undone + undone,
    waiting:
      progress.waiting + ends.filter((end) => end.undone === "none" && end.conflicts.length === 0).length,
  };
  const place = reached ?? (left.length > 0 ? actions.at(-1) : undefined);
  return place ? stepTo({ ...after, place: keyOf(place) }, undone) : passEnded(run, after, undone);
}

async function undo(
  { perform }: StepContext,
  actions: readonly Key[],
  step: (typeof stepsOfRun)[number],
): Promise<Answer> {
  const answer = await perform("action.undo", { actions: actions.map(keyOf), step });
  if (isRefused(answer)) throw new Error(`A step of a run was refused: ${answer.refusal.message}`);
  return answer;
}

function passEnded(run: Run, { isLastPass, waiting, undone }: Progress, done = 0): Step {
  return !isLastPass && waiting > 0 ? stepTo(newPass(run, undone === 0), done) : { done, cursor: null };
}

const newPass = ({ to }: Run, isLastPass: boolean): Progress => ({
  place: { called_at: to, request_id: firstId },
  undone: 0,
  waiting: 0,
  isLastPass,
  left: [],
});

const stepTo = (progress: Progress, done: number): Step => ({ done, cursor: JSON.stringify(progress) });

/** The id that sorts first. */
const firstId = "00000000-0000-0000-0000-000000000000";

const keyOf = ({ called_at, request_id }: Key): Key => ({ called_at: timestamp(called_at), request_id });

/** Few changes may stand among many reads, so each step looks at this many rows. */
const mostLookedAt = 5_000;
const mostCounted = 50_000;

/** Rows of a token's log in a period, newest first, after a place. */
const looked = (columns: string): string => `
  select ${columns} from action_log a
  where a.user_id = $1 and a.token_id = $2
    and a.called_at >= $3::timestamptz and (a.called_at, a.request_id) < ($4::timestamptz, $5::uuid)
  order by a.called_at desc, a.request_id desc limit $6`;

const stands = "(a.before is not null or a.after is not null) and a.undone_by is null";

/** The next changes that are not undone, as many as one command takes, and the place to go on, if any. */
async function standing(
  { connection, userId }: StepContext,
  { token_id, from }: Run,
  { called_at, request_id }: Key,
): Promise<{ actions: readonly ActionRow[]; next: Key | undefined }> {
  const values = [userId, token_id, from, called_at, request_id, mostLookedAt];
  const found = await connection.query<ActionRow>(
    `select a.called_at, a.request_id, a.before, a.after
     from (${looked("a.called_at, a.request_id, a.before, a.after, a.undone_by")}) a where ${stands} limit ${maxUndone + 1}`,
    values,
  );
  const actions = withinLength(found.rows.slice(0, maxUndone), maxUndoneLength);
  if (actions.length < found.rows.length) return { actions, next: actions.at(-1) };
  const end = await connection.query<ActionRow>(
    `${looked("a.called_at, a.request_id")} offset ${mostLookedAt - 1}`,
    values,
  );
  return { actions, next: end.rows[0] && keyOf(end.rows[0]) };
}
