import { type Html, html } from "../../../../shared/html.ts";
import { formToken } from "../../../web/form/form.ts";
import { field, problem } from "../../../web/form/form-fields.ts";
import { page } from "../../../web/page.ts";
import { currentPassword, endConnectionsField, newPassword } from "../fields.ts";
import { profileFrame, type SignedIn } from "../visitor.ts";
import { passkeysSection } from "./passkeys-section.ts";
import { sessionsSection } from "./sessions.ts";

/** The message above the parts of the page: a success, or the problem of one of its forms. */
type Notes = Readonly<{
  done?: string | undefined;
  email?: string;
  password?: string;
  passkey?: string;
}>;

type Answer = Readonly<{ status?: number; headers?: Record<string, string> }>;

/** The account's own page. With a problem it is a 422, unless `answer` has another status. */
export async function profilePage(visitor: SignedIn, notes: Notes, answer: Answer = {}): Promise<Response> {
  const csrf = formToken(visitor);
  const body = html`${notes.done && html`<p class="note" role="status">${notes.done}</p>`}
    <p>You are signed in as <strong>${visitor.account.email}</strong>.</p>
    <p><a href="/account/journal">What happened to this account</a></p>
    ${emailSection(visitor, notes.email)}
    ${passwordSection(csrf, visitor, notes.password)}
    ${await passkeysSection(visitor, notes.passkey)}
    ${await sessionsSection(visitor)}
    ${deletionSection(csrf)}`;
  const content = { title: "Account", body, ...profileFrame(visitor) };
  const isRefused = notes.email || notes.password || notes.passkey;
  return page(visitor.site, content, { status: isRefused ? 422 : 200, ...answer });
}

function emailSection(visitor: SignedIn, error: string | undefined): Html {
  const csrf = formToken(visitor);
  const address = { label: "New e-mail address", type: "email", autocomplete: "email" } as const;
  return html`<h2>E-mail address</h2>
    ${problem(error)}
    ${confirmationState(visitor)}
    <details class="card"${error && html` open`}><summary>Change my e-mail address</summary>
    <form method="post" action="/profile/email">${csrf}
    ${field({ name: "email", ...address })}
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
    ${field({ name: "password", ...currentPassword })}
    ${field({ ...newPassword, name: "new_password", label: "New password" })}
    <p class="quiet small">Every other browser is signed out.</p>
    ${endConnectionsField}
    <button>Change password</button></form>`;
}

const deletionSection = (csrf: Html): Html =>
  html`<h2>Delete account</h2>
    <details class="card"><summary>Delete my account and everything in it</summary>
    <p>Your habits, todos, categories, reminders, tokens and connected apps are deleted. This cannot be undone.
      <a href="/account/data">Download everything first</a>, if you may want it again.</p>
    <form method="post" action="/profile/delete">${csrf}
    <button class="danger">Delete my account</button></form></details>`;
