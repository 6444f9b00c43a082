import { csrfHolds } from "./csrf.ts";
import { message } from "./page.ts";
import type { FormRequest, PageHandler } from "./site.ts";

const maxUploadBytes = 5 * 1024 * 1024;

type UploadedFile = Readonly<{ name: string; bytes: Uint8Array }>;
export type Upload = Readonly<{ files: readonly UploadedFile[] }>;

type Problem = Readonly<{ status: number; text: string }>;

const notOurs: Problem = {
  status: 403,
  text: "This form is too old or was not sent from this page. Go back, reload it and try again.",
};
const notFiles: Problem = { status: 415, text: "Files are sent as multipart/form-data." };
const tooLarge: Problem = { status: 413, text: "These files are larger than 5 MB together." };
const incomplete: Problem = { status: 400, text: "The files did not arrive as a whole. Try again." };
const busy: Problem = {
  status: 503,
  text: "Other files of yours are still being read. Try again in a moment.",
};

/**
 * A page that takes files. One upload of a holder is read at a time, so that nobody can fill the memory by many; a form
 * that our own page in this browser did not send is refused.
 */
export function takeUpload<Visit extends FormRequest>(
  act: (visit: Visit, upload: Upload) => Promise<Response>,
  personOf: (visit: Visit) => string,
): PageHandler<Visit> {
  const underWay = new Set<string>();
  return async (visit) => {
    const person = personOf(visit);
    if (underWay.has(person)) return refusal(visit, busy);
    underWay.add(person);
    try {
      const upload = await readUpload(visit);
      return "files" in upload ? await act(visit, upload) : refusal(visit, upload);
    } finally {
      underWay.delete(person);
    }
  };
}

const refusal = ({ site }: FormRequest, { status, text }: Problem): Response =>
  message(site, "That did not work", text, {
    status,
    ...(status === busy.status && { headers: { "Retry-After": "2" } }),
  });

async function readUpload({ site, request, holder }: FormRequest): Promise<Upload | Problem> {
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== site.origin) return notOurs;
  const type = request.headers.get("content-type") ?? "";
  if (!/^multipart\/form-data\s*;/i.test(type)) return notFiles;
  if (Number(request.headers.get("content-length")) > maxUploadBytes) return tooLarge;
  const body = await readBytes(request.body);
  if (!(body instanceof Uint8Array)) return body;
  const form = await readForm(body, type);
  if (!form) return incomplete;
  const token = form.get("csrf");
  if (typeof token !== "string" || !csrfHolds(site.formKey, holder, token)) return notOurs;
  const files = form.getAll("files").filter((value) => typeof value !== "string");
  const named = files.filter(({ name, size }) => name !== "" || size > 0);
  return {
    files: await Promise.all(named.map(async (file) => ({ name: file.name, bytes: await file.bytes() }))),
  };
}

/** Reading stops at the limit. */
async function readBytes(body: FormRequest["request"]["body"]): Promise<Uint8Array | Problem> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      size += chunk.byteLength;
      if (size > maxUploadBytes) return tooLarge;
      chunks.push(chunk);
    }
  } catch {
    return incomplete;
  }
  return Buffer.concat(chunks);
}

/** @returns undefined for a body that is no form */
const readForm = (body: Uint8Array, type: string) =>
  new Response(body, { headers: { "content-type": type } }).formData().catch(() => undefined);
