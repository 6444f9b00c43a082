import { formToken } from "../../../shared/web/form.ts";
import { field, problem, zoneField } from "../../../shared/web/form-fields.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import { page } from "../../../shared/web/page.ts";
import { newPassword } from "./fields.ts";
import { profileFrame, type SignedIn } from "./visitor.ts";

/** What the page shows above its parts: that something is done, or the problem of one of its forms. */
type Notes = Readonly<{
  done?: string | undefined;
  email?: string;
  password?: string;
  deletion?: string;
}>;

type Answer = Readonly<{ status?: number; headers?: Record<string, string> }>;

/** The account's own page. With a problem it is a 422, unless `answer` has another status. */
export function profilePage(visitor: SignedIn, notes: Notes, answer: Answer = {}): Response {
  const csrf = formToken(visitor);
  const body = html`${notes.done && html`<p class="note" role="status">${notes.done}</p>`}
    <p>You are signed in as <strong>${visitor.account.email}</strong>.</p>
    ${emailSection(visitor, notes.email)}
    <h2>Time zone</h2>
    <form method="post" action="/profile/time-zone" class="card">${csrf}
    ${zoneField(visitor.account.timeZone ?? visitor.identity.config.defaultTimeZone)}
    <p class="quiet small">Decides when your day ends, unless you chose another zone in the settings of Kept.</p>
    <button>Save time zone</button></form>
    ${passwordSection(csrf, visitor, notes.password)}
    ${deletionSection(csrf, visitor, notes.deletion)}`;
  const content = { title: "Account", body, ...profileFrame(visitor, "/profile") };
  const isRefused = notes.email || notes.password || notes.deletion;
  return page(visitor.site, content, { status: isRefused ? 422 : 200, ...answer });
}

const current = { label: "Current password", type: "password", autocomplete: "current-password" } as const;

function emailSection(visitor: SignedIn, error: string | undefined): Html {
  const csrf = formToken(visitor);
  const address = { label: "New e-mail address", type: "email", autocomplete: "email" } as const;
  return html`<h2>E-mail address</h2>
    ${problem(error)}
    ${confirmationState(visitor)}
    <details class="card"${error && html` open`}><summary>Change my e-mail address</summary>
    <form method="post" action="/profile/email">${csrf}
    ${field({ name: "email", ...address })}
    ${field({ name: "password", id: "email-password", ...current })}
    <button>Change address</button></form></details>`;
}

function confirmationState(visitor: SignedIn): Html {
  const { email, emailVerified } = visitor.account;
  if (emailVerified) return html`<p><strong>${email}</strong> is confirmed.</p>`;
  const state = html`<strong>${email}</strong> is not confirmed. Reminders by e-mail go to confirmed addresses only.`;
  if (!visitor.identity.sendMail) {
    return html`<p>${state} Mail isn’t set up on this server, so it cannot be confirmed yet.</p>`;
  }
  return html`<form method="post" action="/profile/email/link" class="card">${formToken(visitor)}
    <p>${state}</p>
    <button>Send a confirmation link</button></form>`;
}

function passwordSection(csrf: Html, { account }: SignedIn, error: string | undefined): Html {
  return html`<h2>Change password</h2>
    ${problem(error)}
    <form method="post" action="/profile/password" class="card">${csrf}
    <input type="text" name="username" value="${account.email}" autocomplete="username" hidden>
    ${field({ name: "password", ...current })}
    ${field({ ...newPassword, name: "new_password", label: "New password" })}
    <p class="quiet small">Every other browser is signed out.</p>
    <label class="choice"><input type="checkbox" name="connections" value="end">
      <span>End all my tokens and connected apps too, because somebody else may know my password</span></label>
    <button>Change password</button></form>`;
}

function deletionSection(csrf: Html, { identity }: SignedIn, error: string | undefined): Html {
  const data = `${identity.config.baseUrl}/account/data`;
  return html`<h2>Delete account</h2>
    ${problem(error)}
    <details class="card"${error && html` open`}><summary>Delete my account and everything in it</summary>
    <p>Your habits, todos, categories, reminders, tokens and connected apps are deleted. This cannot be undone.
      <a href="${data}">Download everything first</a>, if you may want it again.</p>
    <form method="post" action="/profile/delete">${csrf}
    ${field({ name: "password", id: "delete-password", ...current })}
    <button class="danger">Delete my account</button></form></details>`;
}
