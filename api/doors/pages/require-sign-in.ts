import { html } from "../../../shared/html.ts";
import { createRequireSignIn } from "../../web/router.ts";
import { doneNotice } from "./action/take-back/undo.ts";
import { pageOfExport } from "./export/page.ts";
import type { Guest, PageAnswer, Visit } from "./session/context.ts";
import { provenVisit, signedInVisit } from "./session/session.ts";
import { keepSentForm } from "./sign-in/sent-form.ts";
import { signInAddress } from "./sign-in/sign-in.ts";
import { tickNotice } from "./tick/notice.ts";

const require = (find: (guest: Guest) => Promise<Visit | undefined>, proof?: "fresh") =>
  createRequireSignIn<Guest, Visit, PageAnswer>({
    find,
    address: ({ context, request }, next = pageOfForm(request)) =>
      signInAddress(context, pageOfExport(next), proof),
    keepForm: (guest) => keepSentForm(guest, proof),
  });

/** Wraps what is for people who are signed in. */
export const requireSignIn = require(findVisit);

/** Wraps what gives lasting power or takes everything away: the person signed in, or did so again, ten minutes ago at most. */
export const requireProof = require(provenVisit, "fresh");

/** Adds the notices of the last action and of the last tick that the address names. */
async function findVisit(guest: Guest): Promise<Visit | undefined> {
  const visit = await signedInVisit(guest);
  if (!visit || guest.request.method === "POST") return visit;
  const [done, tick] = await Promise.all([doneNotice(visit), tickNotice(visit)]);
  return { ...visit, notice: html`${done}${tick}` };
}

/** The page of a form, to return to after signing in again. */
const pageOfForm = (request: Guest["request"]): string =>
  URL.parse(request.headers.get("referer") ?? "")?.pathname ?? "/account";
