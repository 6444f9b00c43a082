import type { Context } from "koa";
import { field, problem, zoneField } from "../../../shared/web/form-fields.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { Identity } from "../accounts/context.ts";
import type { SignedIn } from "./api-tokens.ts";
import { newPassword } from "./fields.ts";
import { sendPage } from "./respond.ts";
import { formToken, frame } from "./visitor.ts";

/** What the page says besides: that something is done, or the problem of one of its forms. */
export type Said = Readonly<{
  done?: string | undefined;
  email?: string;
  password?: string;
  deletion?: string;
  /** 422 when there is a problem, unless it is said here. */
  status?: number;
}>;

export function sendProfile(identity: Identity, ctx: Context, visitor: SignedIn, said: Said): void {
  const csrf = formToken(identity, visitor);
  const body = html`${said.done && html`<p class="note" role="status">${said.done}</p>`}
    <p>You are signed in as <strong>${visitor.account.email}</strong>.</p>
    ${emailSection(identity, visitor, said.email)}
    <h2>Time zone</h2>
    <form method="post" action="/profile/time-zone" class="card">${csrf}
    ${zoneField(visitor.account.timeZone ?? identity.config.defaultTimeZone)}
    <p class="quiet small">Decides when your day ends, unless you chose another zone in the settings of Kept.</p>
    <button>Save time zone</button></form>
    ${passwordSection(csrf, visitor, said.password)}
    ${deletionSection(csrf, said.deletion)}`;
  const page = { title: "Account", body, ...frame(identity, visitor, "/profile") };
  const isRefused = said.email || said.password || said.deletion;
  sendPage(ctx, page, { status: said.status ?? (isRefused ? 422 : 200) });
}

const current = { label: "Current password", type: "password", autocomplete: "current-password" } as const;

function emailSection(identity: Identity, visitor: SignedIn, wrong: string | undefined): Html {
  const csrf = formToken(identity, visitor);
  const address = { label: "New e-mail address", type: "email", autocomplete: "email" } as const;
  return html`<h2>E-mail address</h2>
    ${problem(wrong)}
    ${confirmationState(identity, visitor)}
    <details class="card"${wrong && html` open`}><summary>Change my e-mail address</summary>
    <form method="post" action="/profile/email">${csrf}
    ${field({ name: "email", ...address })}
    ${field({ name: "password", id: "email-password", ...current })}
    <button>Change address</button></form></details>`;
}

function confirmationState(identity: Identity, visitor: SignedIn): Html {
  const { email, emailVerified } = visitor.account;
  if (emailVerified) return html`<p><strong>${email}</strong> is confirmed.</p>`;
  const state = html`<strong>${email}</strong> is not confirmed. Reminders by e-mail go to confirmed addresses only.`;
  if (!identity.sendMail) {
    return html`<p>${state} Mail isn’t set up on this server, so it cannot be confirmed yet.</p>`;
  }
  return html`<form method="post" action="/profile/email/link" class="card">${formToken(identity, visitor)}
    <p>${state}</p>
    <button>Send a confirmation link</button></form>`;
}

function passwordSection(csrf: Html, { account }: SignedIn, wrong: string | undefined): Html {
  return html`<h2>Change password</h2>
    ${problem(wrong)}
    <form method="post" action="/profile/password" class="card">${csrf}
    <input type="text" name="username" value="${account.email}" autocomplete="username" hidden>
    ${field({ name: "password", ...current })}
    ${field({ ...newPassword, name: "new_password", label: "New password" })}
    <p class="quiet small">Every other browser is signed out.</p>
    <label class="choice"><input type="checkbox" name="connections" value="end">
      <span>End all my tokens and connected apps too, because somebody else may know my password</span></label>
    <button>Change password</button></form>`;
}

function deletionSection(csrf: Html, wrong: string | undefined): Html {
  return html`<h2>Delete account</h2>
    ${problem(wrong)}
    <details class="card"${wrong && html` open`}><summary>Delete my account and everything in it</summary>
    <p>Your habits, todos, categories, reminders, tokens and connected apps are deleted. This cannot be undone.</p>
    <form method="post" action="/profile/delete">${csrf}
    ${field({ name: "password", id: "delete-password", ...current })}
    <button class="danger">Delete my account</button></form></details>`;
}
