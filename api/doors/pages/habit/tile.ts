import { type Html, html } from "../../../../shared/html.ts";

/** A number with its label. */
export const tile = (number: number | string, label: string): Html => html`<li class="card tile">
  <strong>${number}</strong> <span class="quiet">${label}</span></li>`;
