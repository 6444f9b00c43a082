import { type Html, html } from "../../../../shared/html.ts";
import type { Draft, FormContext, ThingForm } from "./thing-form.ts";

/** A field that the person and somebody else have changed to different values. */
export type Clash = Readonly<{ name: string; now: string }>;

type Compared = Readonly<{ base: Draft; draft: Draft; now: Draft; changed: readonly string[] }>;

export const clashesIn = ({ base, draft, now, changed }: Compared): readonly Clash[] =>
  changed.flatMap((name) => {
    const [theirs = "", own = ""] = [now[name], draft[name]];
    return theirs === base[name] || theirs === own ? [] : [{ name, now: theirs }];
  });

/** Tells which changes of others would be lost if the form were sent again. */
export function clashNotice(form: ThingForm, context: FormContext, clashes: readonly Clash[]): Html {
  const categoryName = (id: string) => context.categories.find((one) => String(one.id) === id)?.name;
  const say = ({ name, now }: Clash) => (name === "category" ? (categoryName(now) ?? now) : now);
  return html`<div class="note warn" role="alert"><p>Somebody changed this ${form.noun} meanwhile, so nothing is saved
    yet. What you wrote is below. Saving it replaces:</p>
    <ul>${clashes.map(
      (one) => html`<li>${labelOf(one.name)}: ${one.now === "" ? "nothing" : html`<q>${say(one)}</q>`}</li>`,
    )}</ul></div>`;
}

const labelOf = (name: string): string => {
  const words = name.replaceAll("_", " ");
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
};
