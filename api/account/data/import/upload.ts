import { isRefused } from "../../../../shared/errors.ts";
import { message } from "../../../../shared/web/page.ts";
import type { Upload } from "../../../../shared/web/upload.ts";
import { readDaySettings } from "../../../queries/context.ts";
import type { Visit } from "../../visit/context.ts";
import { refusalPage } from "../../visit/refusal-page.ts";
import type { TextFile } from "./found.ts";
import { planImport } from "./plan.ts";
import { previewPage } from "./preview-page.ts";
import { stagePlan } from "./stage.ts";
import { isZip, unzip } from "./unzip.ts";

/** What is in archives counts as it is unpacked. */
const mostTextBytes = 8 * 1024 * 1024;

/** POST /account/data/import: shows what files would make, and keeps it until its person says yes. */
export async function uploadFiles(visit: Visit, { files }: Upload): Promise<Response> {
  const { context, session } = visit;
  const texts = await textsOf(files);
  if (typeof texts === "string")
    return message(context.site, "That did not work", texts, { status: 422, link: back });
  const query = context.query({ userId: session.sub });
  const { today } = await readDaySettings(query);
  const plan = await planImport(query, texts, { today });
  const { habits, todos, categories } = plan.things;
  if (habits.length + todos.length + categories.length === 0) return previewPage(visit, plan, undefined);
  const staged = await stagePlan(visit, plan);
  return isRefused(staged) ? refusalPage(context, staged.refusal) : previewPage(visit, plan, staged);
}

const back = { href: "/account/data", label: "Back to your data" };

/** @returns the files as text, those in archives too; or what is wrong with them */
async function textsOf(files: Upload["files"]): Promise<readonly TextFile[] | string> {
  const texts: TextFile[] = [];
  let left = mostTextBytes;
  for (const { name, bytes } of files) {
    const unpacked = isZip(bytes) ? await unzip(bytes, left) : [{ name, bytes }];
    if (typeof unpacked === "string") return unpacked;
    for (const one of unpacked) {
      left -= one.bytes.length;
      texts.push({ name: one.name, text: new TextDecoder().decode(one.bytes) });
    }
  }
  if (left < 0) return "These files are too large to be read.";
  return texts.length === 0 ? "Choose a file first." : texts;
}
