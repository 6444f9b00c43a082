import { isRefused } from "../../../../shared/errors.ts";
import type { PageAnswer, Visit } from "./context.ts";
import { submit } from "./submit.ts";

type Download = Readonly<{
  name: string;
  type: string;
  /** The content, for the account journal and the log of this server. */
  what: string;
  texts: AsyncGenerator<string>;
}>;

/** A file that the browser saves. It is sandboxed, in case a browser displays it. */
export async function download(visit: Visit, { name, type, what, texts }: Download): Promise<PageAnswer> {
  // The account journal tells of a download before it begins.
  const noted = await submit(visit, "journal.export", { what });
  if (isRefused(noted)) return noted;
  return new Response(streamOf(texts, what, visit), {
    headers: {
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="${name}"`,
      "Content-Security-Policy": "default-src 'none'; sandbox",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

/** Each chunk is read after the previous one was taken. A file that breaks off does not end like a whole one. */
function streamOf(
  texts: AsyncGenerator<string>,
  what: string,
  { context }: Visit,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await texts.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        context.log.warn({ reason: String(error) }, `${what} broke off`);
        controller.error(error);
      }
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}
