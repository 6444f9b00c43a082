import { isRefused, refuse } from "../../../../shared/errors.ts";
import { readDaySettings } from "../../../queries/engine/context.ts";
import { readWhatIsHere } from "../../../queries/import/read.ts";
import { takeUpload, type Upload } from "../../../web/form/upload.ts";
import { message } from "../../../web/page.ts";
import type { Visit } from "../session/context.ts";
import { refusalPage } from "../session/refusal-page.ts";
import { readApart } from "./apart/read-apart.ts";
import { previewPage } from "./preview-page.ts";
import { stageParts } from "./stage.ts";

/** Reading a file may take a processor for seconds. */
export const uploadsPerHour = 30;

const tooMany = refuse("rate_limited", `An hour takes ${uploadsPerHour} uploads. Please try again later.`, {
  retryAfterSeconds: 3_600,
});

/** POST /account/data/import: previews the files' things, and keeps them until their person confirms. */
export const uploadFiles = takeUpload<Visit>({
  personOf: ({ session }) => session.sub,
  async refused({ context, session }) {
    const allowance = await context.uploadLimit(session.sub);
    return allowance?.allowed === false ? refusalPage(context, tooMany.refusal) : undefined;
  },
  act: previewFiles,
});

async function previewFiles(visit: Visit, { files }: Upload): Promise<Response> {
  const { context, query } = visit;
  const { today } = await readDaySettings(query);
  const read = await readApart({ files, today }, (things) => readWhatIsHere(query, things));
  if (typeof read === "string")
    return message(context.site, "That did not work", read, { status: 422, link: back });
  if (read.parts.length === 0) return previewPage(visit, read, undefined);
  const staged = await stageParts(visit, read.parts);
  return isRefused(staged) ? refusalPage(context, staged.refusal) : previewPage(visit, read, staged);
}

const back = { href: "/account/data", label: "Back to your data" };
