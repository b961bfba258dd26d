// Mails about accounts. In: what happened, and a token. Out: a mail on its way, after the answer to whoever asked: how long it takes tells
// nobody whether an address has an account. The blueprint's own template is used where there is one of that name.
import { createHash } from "node:crypto";
import type { BundleBackground } from "@plinth/bundle";
import type { Logger } from "@plinth/service";
import type { ActiveRelease } from "../project/active-release.ts";
import type { Mailer } from "./mailer.ts";
import { escapeHtml, type RenderedMail, renderEmail } from "./render.ts";

export type AccountMailKind = "verify_email" | "account_exists" | "reset_password" | "invitation";

export interface AccountMail {
  readonly kind: AccountMailKind;
  readonly to: string;
  /** Null where the mail carries none. */
  readonly token: string | null;
}

export interface AccountMails {
  /** Begins to send it; what fails is logged, and whoever gets no mail asks again. */
  send(release: ActiveRelease, mail: AccountMail): void;
  /** Until none is under way. */
  idle(): Promise<void>;
}

const TIMEOUT_MS = 30_000;

const usual: Readonly<Record<AccountMailKind, { readonly subject: string; readonly text: string }>> = {
  verify_email: {
    subject: "Confirm your e-mail address",
    text: "Somebody signed up with this address. If it was you, confirm it within 24 hours. Otherwise ignore this mail.",
  },
  account_exists: {
    subject: "You already have an account",
    text: "Somebody signed up with this address, which has an account already. If it was you, sign in, or reset your password. Otherwise ignore this mail.",
  },
  reset_password: {
    subject: "Reset your password",
    text: "Somebody asked to reset the password of this account. If it was you, set a new one within 30 minutes. Otherwise ignore this mail.",
  },
  invitation: {
    subject: "You are invited",
    text: "You are invited to an organization. Sign in with this address to accept.",
  },
};

export function createAccountMails({
  mailer,
  logger,
}: {
  readonly mailer: Mailer;
  readonly logger: Logger;
}): AccountMails {
  const underWay = new Set<Promise<unknown>>();
  return {
    send(release, mail) {
      const sending = mailer
        .send(release.projectId, {
          ...contentOf(release, mail),
          key: `account/${mail.kind}/${keyOf(mail)}`,
          connection: release.bundle.background.emailConnections?.[0]?.name ?? null,
          to: [mail.to],
          replyTo: null,
          template: mail.kind,
          timeoutMs: TIMEOUT_MS,
        })
        .catch((error: unknown) => {
          logger.warn(
            { err: error, projectId: release.projectId, mail: mail.kind },
            "a mail about an account was not sent",
          );
        })
        .finally(() => underWay.delete(sending));
      underWay.add(sending);
    },
    async idle() {
      await Promise.all(underWay);
    },
  };
}

/** Another one for each token; where there is none, for each hour. */
function keyOf({ to, token }: AccountMail): string {
  const named = token ?? `${to}/${Math.floor(Date.now() / 3_600_000)}`;
  return createHash("sha256").update(named).digest("base64url");
}

function contentOf({ bundle: { background } }: ActiveRelease, { kind, token }: AccountMail): RenderedMail {
  const link = linkOf(background, kind, token);
  const own = background.emails?.find(({ name }) => name === kind);
  if (own !== undefined) return renderEmail(own, { link, token }, null);
  const { subject, text } = usual[kind];
  const shown = link ?? token;
  const anchor =
    link === null
      ? `<p><code>${escapeHtml(token ?? "")}</code></p>`
      : `<p><a href="${escapeHtml(link)}">${escapeHtml(subject)}</a></p>`;
  return {
    subject,
    text: shown === null ? `${text}\n` : `${text}\n\n${shown}\n`,
    html: shown === null ? `<p>${text}</p>` : `<p>${text}</p>${anchor}`,
  };
}

function linkOf({ accounts }: BundleBackground, kind: AccountMailKind, token: string | null): string | null {
  const pages: Readonly<Record<AccountMailKind, string | null | undefined>> = {
    verify_email: accounts?.verifyUrl,
    reset_password: accounts?.resetUrl,
    invitation: accounts?.invitationUrl,
    account_exists: null,
  };
  const page = pages[kind] ?? null;
  return page === null || token === null ? null : `${page}#token=${encodeURIComponent(token)}`;
}
