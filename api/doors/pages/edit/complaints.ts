import type { Refusal } from "../../../../shared/errors.ts";
import { statusOf } from "../../../http/response.ts";
import type { Complaint } from "./form-page.ts";
import type { DraftErrors, ThingForm } from "./thing-form.ts";

/** Sorts a refusal into messages for the form's fields and one above them for everything else. */
export function complaintOf(
  { blank, commandFields }: ThingForm,
  { code, message, errors = {} }: Refusal,
): Complaint {
  const names = Object.keys(blank);
  const found = names.flatMap((name) => {
    const [sentence] = (commandFields[name] ?? [name]).flatMap((field) => errors[field] ?? []);
    return sentence === undefined ? [] : [[name, sentence.replace(/^The \w+ field/, "This")] as const];
  });
  const isOfFields = found.length > 0;
  return {
    errors: Object.fromEntries(found),
    message: isOfFields ? "Nothing is saved yet: see the fields marked below." : message,
    status: statusOf(code),
  };
}

export const invalidDraft = (errors: DraftErrors): Complaint | undefined =>
  Object.keys(errors).length > 0
    ? { errors, message: "Nothing is saved yet: see the fields marked below.", status: 422 }
    : undefined;
