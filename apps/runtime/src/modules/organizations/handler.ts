// The parts that the handlers of /v1/organizations share: their type, their dependencies, a reply without a body.
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { AccountMails } from "../../mail/account-mail-queue.ts";
import type { ChangeOptions } from "./changes.ts";
import type { InvitationTokens } from "./invitation-tokens.ts";

export interface OrganizationRoutesOptions extends ChangeOptions {
  /** UUID v7. */
  readonly newId: () => string;
  readonly invitationTokens: InvitationTokens;
  readonly accountMails: AccountMails;
}

export type Handler = (options: OrganizationRoutesOptions, context: ModuleContext) => Promise<Reply>;

export const gone: Reply = { status: 204, headers: { "cache-control": "no-store" }, body: null };
