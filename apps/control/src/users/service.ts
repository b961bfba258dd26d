// A project's end users, requested from its cell on behalf of a person. In: a user, and an action. Out: the cell's answers.
// Control only stores who did what.
import { type NewUserBody, userCalls } from "@plinth/bundle/cell";
import { z } from "zod";
import { actorOf, orNull, refusals } from "../cells/call-as-person.ts";
import { type CellRefusals, callCell } from "../cells/call-cell.ts";
import type { Cells } from "../cells/client.ts";
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase } from "../database/tables.ts";
import { notFound, refuse } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { CreatedUser, EndUserDetail, EndUserPage } from "./api.ts";

interface Wanted {
  readonly search?: string | undefined;
  readonly role?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface UserService {
  list(by: Person, project: ProjectAccess, wanted: Wanted): Promise<EndUserPage | null>;
  get(by: Person, project: ProjectAccess, userId: string): Promise<EndUserDetail>;
  record(by: Person, project: ProjectAccess, userId: string): Promise<Readonly<Record<string, unknown>>>;
  create(by: Person, project: ProjectAccess, user: NewUserBody): Promise<CreatedUser>;
  setRoles(
    by: Person,
    project: ProjectAccess,
    userId: string,
    roles: readonly string[],
  ): Promise<{ readonly roles: readonly string[] }>;
  setDisabled(
    by: Person,
    project: ProjectAccess,
    userId: string,
    disabled: boolean,
  ): Promise<{ readonly disabled: boolean }>;
  endSessions(
    by: Person,
    project: ProjectAccess,
    userId: string,
    sessionId: string | null,
  ): Promise<{ readonly ended: true }>;
  mailReset(by: Person, project: ProjectAccess, userId: string): Promise<{ readonly mailed: true }>;
}

const PAGE = 25;
const ofUser: CellRefusals = { ...refusals, 404: () => notFound("user") };
const record = z.object({ data: z.record(z.string(), z.unknown()) });
const withRoles = z.object({ data: z.object({ roles: z.array(z.string()) }) });

export function createUserService({ cells, db }: { readonly cells: Cells; readonly db: ControlDatabase }): UserService {
  /** Recorded before the call, so that no action is missing in the log. An entry may belong to an action that was refused. */
  const audit = (
    by: Person,
    project: ProjectAccess,
    action: string,
    subject: string,
    detail: Record<string, unknown> = {},
  ): Promise<void> => writeAudit(db, { personId: by.id, projectId: project.id, action, subject, detail });

  return {
    list: (by, project, { search, role, disabled, cursor, limit }) =>
      orNull(
        cells.callAs(project, actorOf(by, project), userCalls.findUsers, {
          body: {
            search: search ?? null,
            role: role ?? null,
            disabled: disabled ?? null,
            after: cursor ?? null,
            limit: limit ?? PAGE,
          },
        }),
      ),

    get: (by, project, userId) =>
      callCell(cells.callAs(project, actorOf(by, project), userCalls.readUser, { names: { userId } }), ofUser),

    record: async (by, project, userId) => {
      const call = cells.look(project, actorOf(by, project), `/v1/users/${userId}`, record);
      return (await callCell(call, ofUser)).data;
    },

    create: async (by, project, user) => {
      await audit(by, project, "user.created", user.email, { roles: user.roles });
      return callCell(cells.callAs(project, actorOf(by, project), userCalls.createUser, { body: user }), {
        ...refusals,
        404: () => refuse("PRECONDITION_FAILED", "Nothing is deployed in this project yet."),
      });
    },

    setRoles: async (by, project, userId, roles) => {
      await audit(by, project, "user.granted", userId, { roles });
      const route = `/v1/users/${userId}/roles`;
      const call = cells.act(project, actorOf(by, project), route, { roles }, withRoles, "PUT");
      return { roles: (await callCell(call, ofUser)).data.roles };
    },

    setDisabled: async (by, project, userId, disabled) => {
      await audit(by, project, disabled ? "user.disabled" : "user.enabled", userId);
      const call = cells.callAs(project, actorOf(by, project), userCalls.setDisabled, {
        names: { userId },
        body: { disabled },
      });
      await callCell(call, ofUser);
      return { disabled };
    },

    endSessions: async (by, project, userId, sessionId) => {
      await audit(by, project, "user.sessions_ended", userId, sessionId === null ? {} : { session: sessionId });
      const call = cells.callAs(project, actorOf(by, project), userCalls.endSessions, {
        names: { userId },
        body: { sessionId },
      });
      await callCell(call, ofUser);
      return { ended: true };
    },

    mailReset: async (by, project, userId) => {
      await audit(by, project, "user.reset_mailed", userId);
      await callCell(cells.callAs(project, actorOf(by, project), userCalls.mailReset, { names: { userId } }), ofUser);
      return { mailed: true };
    },
  };
}
