// The routes of invitations, and of the organization that a user acts in. In: a request. Out: invitations, or the
// joined organization. Tokens are only in bodies, because paths are logged. An invitation gets the same answer whether
// or not the address has an account.
import { Fault } from "@plinth/service";
import { z } from "zod";
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import { requireInvitations } from "../../project/organization-tables.ts";
import type { UserPrincipal } from "../../project/principal.ts";
import { emailAddress } from "../email-address.ts";
import { jsonReply, readBody } from "../json-body.ts";
import { charged, networkKey, takeAttempt } from "../take-attempt.ts";
import { change } from "./changes.ts";
import { setChoice } from "./chosen-organization.ts";
import { gone, type OrganizationRoutesOptions } from "./handler.ts";
import { invite, joinByInvitation, listInvitations, revokeInvitation } from "./invitations.ts";
import { organizationRoles } from "./standing.ts";

const invitationBody = z.strictObject({ email: emailAddress, role: z.enum(organizationRoles) });
const acceptBody = z.strictObject({ token: z.string().min(1).max(200), choose: z.boolean().optional() });
const choiceBody = z.strictObject({ organization_id: z.uuid().nullable() });

export async function readInvitations({ scopeOf }: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const [organizationId = ""] = context.ids;
  requireInvitations(context.release);
  const open = await scopeOf(context.projectId).transaction((tx) => listInvitations(tx, context, organizationId));
  return jsonReply(200, open);
}

/** The same answer after the same work, whether or not the address has an account. */
export async function createInvitation(options: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const [organizationId = ""] = context.ids;
  const { release, incoming, principal, projectId } = context;
  requireInvitations(release);
  const token = options.invitationTokens.make(projectId);
  const invited = { id: options.newId(), token, ...readBody(incoming, invitationBody) };
  if (principal.kind === "user") {
    takeAttempt(
      options.limits.invitations,
      `${projectId}/${principal.userId}`,
      "You have invited too many people. Try again later.",
    );
  }
  const invitation = await options.scopeOf(projectId).transaction(async (open) => {
    const written = await invite(open, context, organizationId, invited);
    // The worker role has no rights on the cell's tables.
    await open.client.query("SET LOCAL ROLE NONE");
    await options.accountMails.add(open.client, release, { kind: "invitation", to: invited.email, token });
    return written;
  });
  options.accountMails.wake();
  return jsonReply(201, invitation);
}

export async function deleteInvitation({ scopeOf }: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const [organizationId = "", invitationId = ""] = context.ids;
  requireInvitations(context.release);
  await scopeOf(context.projectId).transaction((open) => revokeInvitation(open, context, organizationId, invitationId));
  return gone;
}

export async function acceptInvitation(options: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { release, incoming, projectId, principal } = context;
  const user = requireUser(principal);
  requireInvitations(release);
  const { token, choose: chosen = false } = readBody(incoming, acceptBody);
  const { wrongTokens, wrongTokensOfNetwork } = options.limits;
  const join = (): Promise<object> =>
    change(options, context, (open) => joinByInvitation(open, context, user, { token, choose: chosen }));
  const charge = (): Promise<object> => charged(wrongTokens, `${projectId}/${user.userId}`, isWrong, join);
  // A caller with a token that this cell created isn't guessing, and must not be limited because of others at the same
  // address.
  const joined = options.invitationTokens.isOurs(projectId, token)
    ? await charge()
    : await charged(wrongTokensOfNetwork, networkKey(projectId, incoming.ip), isWrong, charge);
  return jsonReply(200, joined);
}

const isWrong = (error: unknown): boolean => error instanceof Fault && error.code === "not_found";

export async function chooseOrganization(options: OrganizationRoutesOptions, context: ModuleContext): Promise<Reply> {
  const { userId } = requireUser(context.principal);
  requireInvitations(context.release);
  const body = readBody(context.incoming, choiceBody);
  const organizationId = body.organization_id?.toLowerCase() ?? null;
  await change(options, context, (open) => setChoice(open, context, userId, organizationId));
  return jsonReply(200, { organization_id: organizationId });
}

/** @throws Fault user_required. */
function requireUser(principal: ModuleContext["principal"]): UserPrincipal {
  if (principal.kind === "user") return principal;
  throw new Fault("user_required");
}
