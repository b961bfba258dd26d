// Control's calls about end users. In: a call that control has signed on behalf of a person. Out: the users module's
// answer. A viewer can only read. The secret alone is never enough.
import { ASSERTION_HEADER, userCalls } from "@plinth/bundle/cell";
import { orUnavailable } from "@plinth/postgres";
import { Fault } from "@plinth/service";
import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  type AdministerOptions,
  createUser,
  endSessions,
  mailReset,
  setDisabled,
} from "../modules/users/administer.ts";
import { findUsers, readUserDetail } from "../modules/users/find-users.ts";
import type { Acting } from "../modules/write-change.ts";
import type { ReleaseRegistry } from "../project/active-release.ts";
import { type AssertionTrust, acceptAssertion } from "./assertion.ts";
import { callOf, paramOf, projectOf, releaseOf, serve } from "./serve.ts";

export interface UserRoutesOptions extends AssertionTrust, AdministerOptions {
  readonly registry: ReleaseRegistry;
}

export function userRoutes(app: FastifyInstance, options: UserRoutesOptions): void {
  const actingIn = async (request: FastifyRequest, needs: "viewer" | "operator"): Promise<Acting> => {
    const projectId = projectOf(request);
    const signed = await acceptAssertion(request.headers[ASSERTION_HEADER], options, callOf(request));
    const isPerson = signed.role === "operator" || signed.role === "viewer";
    if (!isPerson || signed.projectId !== projectId)
      throw new Fault("unauthenticated", { detail: "Plinth-Assertion is for another call." });
    const readOnly = signed.role === "viewer";
    if (readOnly && needs === "operator") throw new Fault("forbidden", { detail: "A viewer can only read." });
    const release = await releaseOf(options.registry, projectId);
    const principal = { kind: "operator", email: signed.subject, roles: ["admin"], readOnly } as const;
    return { release, principal, requestId: request.id, ip: request.ip, organization: null };
  };

  serve(app, userCalls.findUsers, async (request, body) => {
    const { release } = await actingIn(request, "viewer");
    return findUsers(options, release, body());
  });
  serve(app, userCalls.readUser, async (request) => {
    const { release } = await actingIn(request, "viewer");
    return readUserDetail(options, release, userOf(request));
  });
  serve(app, userCalls.createUser, async (request, body) => {
    const acting = await actingIn(request, "operator");
    return createUser(options, acting, body());
  });
  serve(app, userCalls.setDisabled, async (request, body) => {
    const acting = await actingIn(request, "operator");
    await setDisabled(options, acting, userOf(request), body().disabled);
    return null;
  });
  serve(app, userCalls.endSessions, async (request, body) => {
    const acting = await actingIn(request, "operator");
    await endSessions(options, acting, userOf(request), body().sessionId);
    return null;
  });
  serve(app, userCalls.mailReset, async (request) => {
    const acting = await actingIn(request, "operator");
    await orUnavailable(mailReset(options, acting, userOf(request)));
    return null;
  });
}

function userOf(request: FastifyRequest): string {
  const id = paramOf(request, "userId");
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw new Fault("not_found");
  return id;
}
