import { createTurns } from "../../../shared/process/turns.ts";
import { readBounded } from "../../http/input.ts";
import type { FormRequest, PageHandler } from "../site.ts";
import { csrfHolds, type FormProblem, isFromHere, notOurs, problemPage } from "./form.ts";

const maxUploadBytes = 5 * 1024 * 1024;
/** A form is parsed in one go. */
const mostParts = 300;
/** One upload is read at a time; the others wait for it. */
const mostAtOnce = 4;

type UploadedFile = Readonly<{ name: string; bytes: Uint8Array }>;
export type Upload = Readonly<{ files: readonly UploadedFile[] }>;

const notFiles: FormProblem = { status: 415, text: "Files are sent as multipart/form-data." };
const tooLarge: FormProblem = { status: 413, text: "These files are larger than 5 MB together." };
const tooMany: FormProblem = { status: 413, text: "These are too many files for one upload." };
const incomplete: FormProblem = { status: 400, text: "The files did not arrive as a whole. Try again." };
const busy: FormProblem = {
  status: 429,
  text: "Other files of yours are still being read. Try again in a moment.",
};
const allBusy: FormProblem = {
  status: 503,
  text: "Files of other people are being read at present. Try again in a moment.",
};

type UploadPage<Visit> = Readonly<{
  /** The answer to a person who may not send files now. Their bytes are not read. */
  refused(visit: Visit): Promise<Response | undefined>;
  act(visit: Visit, upload: Upload): Promise<Response>;
}>;

/**
 * Makes a page that takes files. To protect the memory, a person sends one upload at a time, and few are parsed at
 * once. Uploads that still arrive do not count, however slow. Only forms from Kept's own page in this browser are
 * accepted.
 */
export function takeUpload<Visit extends FormRequest>({
  refused,
  act,
}: UploadPage<Visit>): PageHandler<Visit> {
  const ofPerson = createTurns({ atOnceOfKey: 1, mostWaiting: 0 });
  const ofAll = createTurns({ atOnce: mostAtOnce, mostWaiting: 0 });
  return (visit) => {
    const take = async () => {
      const problem = problemOf(visit);
      if (problem) return problemPage(visit, problem);
      const refusal = await refused(visit);
      if (refusal) return refusal;
      const upload = await readUpload(visit);
      if (!("files" in upload)) return problemPage(visit, upload);
      const refuse = () => problemPage(visit, allBusy);
      return ofAll.run("", () => act(visit, upload), refuse);
    };
    return ofPerson.run(visit.owner ?? visit.holder, take, () => problemPage(visit, busy));
  };
}

const typeOf = ({ request }: FormRequest): string => request.headers.get("content-type") ?? "";

function problemOf(visit: FormRequest): FormProblem | undefined {
  const { headers } = visit.request;
  if (headers.has("origin") && !isFromHere(visit)) return notOurs;
  if (!/^multipart\/form-data\s*;/i.test(typeOf(visit))) return notFiles;
  return Number(headers.get("content-length")) > maxUploadBytes ? tooLarge : undefined;
}

async function readUpload(visit: FormRequest): Promise<Upload | FormProblem> {
  const { site, request, holder } = visit;
  const type = typeOf(visit);
  const body = await readBounded(request.body, maxUploadBytes);
  if (typeof body === "string") return body === "too-long" ? tooLarge : incomplete;
  if (hasManyParts(body, type)) return tooMany;
  const form = await readForm(body, type);
  if (!form) return incomplete;
  const token = form.get("csrf");
  if (typeof token !== "string" || !csrfHolds(site.formKeys, holder, token)) return notOurs;
  const files = form.getAll("files").filter((value) => typeof value !== "string");
  const named = files.filter(({ name, size }) => name !== "" || size > 0);
  return {
    files: await Promise.all(named.map(async (file) => ({ name: file.name, bytes: await file.bytes() }))),
  };
}

function hasManyParts(body: Buffer, type: string): boolean {
  const boundary = `--${/boundary="?([^";]+)/i.exec(type)?.[1] ?? ""}`;
  let at = -1;
  for (let count = 0; count <= mostParts; count++) {
    at = body.indexOf(boundary, at + 1);
    if (at === -1) return false;
  }
  return true;
}

/** @returns undefined for a body that is not a form */
const readForm = (body: Uint8Array<ArrayBuffer>, type: string) =>
  new Response(body, { headers: { "content-type": type } }).formData().catch(() => undefined);
