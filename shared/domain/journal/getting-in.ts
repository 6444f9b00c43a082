import { kind } from "./event.ts";

type Named = { name: string };
type Way = { way: keyof typeof ways };
type SetPassword = { way: keyof typeof setPassword; endsAll: boolean };

const ways = {
  password: "with the password",
  passkey: "with a passkey",
  link: "with a one-time link of the operator",
  reset: "with a new password",
  "sign-up": "as a new account",
};
const setPassword = {
  profile: "on the account page",
  reset: "by a mailed link",
  link: "by a one-time link of the operator",
};

const toSession = { subject: "A new browser signed in to Kept", ends: "session" } as const;

/** Events of the account itself and of signing in. */
export const gettingIn = {
  account_made: kind({ says: () => "The account was made.", logs: "user_created", told: null }),
  account_deleted: kind({ says: () => "The account was deleted.", logs: "user_deleted", told: null }),
  signed_in: kind<Way>({
    says: ({ way }) => `Signed in ${ways[way]}.`,
    logs: "authn_login_success",
    told: null,
  }),
  signed_in_anew: kind<Way>({
    says: ({ way }) => `Signed in ${ways[way]}, in a browser that was not known.`,
    logs: "authn_login_success",
    told: toSession,
  }),
  sign_in_failed: kind<Way>({
    says: ({ way }) => `A sign-in ${ways[way]} failed.`,
    logs: "authn_login_fail",
    told: null,
    most: 1,
    period: "hour",
  }),
  signed_out: kind<{ of: string }>({
    says: ({ of }) => `${of} was signed out.`,
    logs: "session_expired",
    told: null,
  }),
  reset_asked: kind({
    says: () => "A link for a new password was asked for.",
    logs: "authn_password_reset_asked",
    told: null,
  }),
  password_changed: kind<SetPassword>({
    says: ({ way, endsAll }) =>
      `The password of your account of Kept was changed ${setPassword[way]}. Other browsers were signed out${endsAll ? ", and all passkeys, tokens and apps ended" : ""}.`,
    logs: "authn_password_change",
    told: { subject: "Your password for Kept was changed", ends: "password" },
  }),
  address_changed: kind({
    says: () => "The account has another e-mail address. Nothing more is sent to the one before.",
    logs: "user_updated",
    told: { subject: "Your e-mail address for Kept was changed", ends: "password" },
  }),
  address_restored: kind({
    says: () => "The e-mail address was set back by the link in a message.",
    logs: "user_updated",
    told: null,
  }),
  address_confirmed: kind({
    says: () => "The e-mail address was confirmed.",
    logs: "user_updated",
    told: null,
  }),
  passkey_added: kind<Named>({
    says: ({ name }) =>
      `Your account of Kept has a new passkey, “${name}”, which signs in without the password.`,
    logs: "authn_passkey_added",
    told: { subject: "A passkey was added to your account of Kept", ends: "passkey" },
  }),
  passkey_removed: kind<Named>({
    says: ({ name }) => `The passkey “${name}” was removed.`,
    logs: "authn_passkey_removed",
    told: { subject: "A passkey was removed from your account of Kept", ends: "password" },
  }),
} as const;
