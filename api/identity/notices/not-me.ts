import type { Endable } from "../../../shared/domain/journal/events.ts";
import { type Account, findAccount, lockAccount, withUniqueEmail } from "../accounts/accounts.ts";
import type { IdentityContext } from "../accounts/context.ts";
import { mailReset } from "../accounts/passwords/resets.ts";
import { endAccountSessions } from "../accounts/sessions.ts";
import { revokeConnection } from "../grants/connections.ts";
import { inJournal } from "../journal/record.ts";
import { removePasskey } from "../passkeys/storage.ts";
import { noticeDays, noticeIdIn } from "./links.ts";
import { type Notice, noticeColumns } from "./notices.ts";

/** Finds the message whose link has this token, and changes nothing. */
export async function findNotice(
  { pool, keys }: IdentityContext,
  token: string,
): Promise<Notice | undefined> {
  const id = noticeIdIn(keys, token);
  if (id === undefined) return undefined;
  const { rows } = await pool.query<Notice>(
    `select ${noticeColumns} from identity.notices
     where id = $1 and used_at is null and at > now() - interval '${noticeDays} days'`,
    [id],
  );
  return rows[0];
}

/** Ends what a message was about. The link is used up afterwards, so that a crash in between spoils none. */
export async function endByNotice(identity: IdentityContext, notice: Notice, ends: Endable): Promise<void> {
  await endings[ends](identity, notice);
  await identity.pool.query("update identity.notices set used_at = now() where id = $1", [notice.id]);
}

const endings: Readonly<Record<Endable, (identity: IdentityContext, notice: Notice) => Promise<void>>> = {
  token: (identity, { accountId, thing }) => revokeConnection(identity, accountId, thing),
  session: (identity, { accountId, thing }) => endAccountSessions(identity, accountId, { only: thing }),
  passkey: (identity, { accountId, thing }) => removePasskey(identity, accountId, thing),
  password: takeAccountBack,
};

/** Sets the address back to the one that the message went to, signs everybody out, and mails a link for a new password. */
async function takeAccountBack(identity: IdentityContext, { accountId, email }: Notice): Promise<void> {
  const account = await findAccount(identity.pool, accountId);
  if (!account) return;
  if (email !== null && email !== account.email) await restoreAddress(identity, account, email);
  await endAccountSessions(identity, accountId, { allBut: "" });
  const now = await findAccount(identity.pool, accountId);
  if (now) await mailReset(identity, now.email);
}

/** Messages to other addresses lose their links, because whoever changed the address may have got some. */
async function restoreAddress(identity: IdentityContext, { id }: Account, email: string): Promise<void> {
  await withUniqueEmail(
    inJournal(identity, id, async (client, record) => {
      await lockAccount(client, id);
      await client.query(
        `with others as (
           update identity.notices set used_at = now() where account_id = $1 and email is distinct from $2
         ), waiting as (
           delete from identity.email_confirmations where account_id = $1
         ), restored as (
           update identity.accounts set email = $2, email_verified_at = now() where id = $1 returning id, email
         )
         insert into identity.outbox (user_id, name, input)
         select id, 'user.configure', jsonb_build_object('email', email) from restored`,
        [id, email],
      );
      await record("address_restored", {});
      return { rowCount: 1 };
    }),
  );
}
