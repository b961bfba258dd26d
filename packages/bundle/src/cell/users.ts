// The calls about a project's end users, from control to a cell. In: nothing. Out: the shapes, and the calls. Each
// needs an assertion: a viewer's for reads, an operator's for the others. They never contain a password.
import { z } from "zod";
import type { CellCall } from "./calls.ts";

/** Times are RFC 3339. */
export interface EndUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly roles: readonly string[];
  readonly createdAt: string;
  /** Null if the user never signed in. */
  readonly lastSignInAt: string | null;
  readonly disabledAt: string | null;
  /** False until the user has set one. */
  readonly hasPassword: boolean;
  readonly sessions: number;
}

export interface EndUserPage {
  readonly users: readonly EndUser[];
  readonly next: string | null;
}

export interface EndUserSession {
  readonly id: string;
  readonly userAgent: string | null;
  readonly ip: string | null;
  readonly startedAt: string;
  readonly lastSeenAt: string;
}

export interface EndUserDetail extends EndUser {
  readonly disabledBy: string | null;
  readonly activeSessions: readonly EndUserSession[];
  /** Null if the project has no organizations. */
  readonly organizations: readonly { readonly id: string; readonly name: string; readonly role: string }[] | null;
  /** Whether mails can reach users: the project declares a connection, and it is set up. */
  readonly canMail: boolean;
  /** Whether an account is only created after its address is verified. */
  readonly verifiesEmail: boolean;
}

export interface FindUsersBody {
  /** Part of an address or a name. */
  readonly search: string | null;
  readonly role: string | null;
  readonly disabled: boolean | null;
  /** `next` of the previous page. */
  readonly after: string | null;
  readonly limit: number;
}

export interface NewUserBody {
  readonly email: string;
  readonly name: string | null;
  readonly roles: readonly string[];
}

export interface CreatedUser {
  readonly id: string;
  /** Whether a mail is being sent. */
  readonly isMailed: boolean;
  /** Sets the first password if no mail is sent; otherwise null. */
  readonly token: string | null;
  /** The project's page for it, with the token; null if the blueprint names none. */
  readonly link: string | null;
}

export interface EndSessionsBody {
  /** Null for all sessions of the user. */
  readonly sessionId: string | null;
}

export interface DisabledBody {
  readonly disabled: boolean;
}

const time = z.string();
const user = {
  id: z.string(),
  email: z.string(),
  name: z.string().nullable(),
  roles: z.array(z.string()),
  createdAt: time,
  lastSignInAt: time.nullable(),
  disabledAt: time.nullable(),
  hasPassword: z.boolean(),
  sessions: z.number(),
};

const page: z.ZodType<EndUserPage> = z.object({ users: z.array(z.object(user)), next: z.string().nullable() });

const detail: z.ZodType<EndUserDetail> = z.object({
  ...user,
  disabledBy: z.string().nullable(),
  activeSessions: z.array(
    z.object({
      id: z.string(),
      userAgent: z.string().nullable(),
      ip: z.string().nullable(),
      startedAt: time,
      lastSeenAt: time,
    }),
  ),
  organizations: z.array(z.object({ id: z.string(), name: z.string(), role: z.string() })).nullable(),
  canMail: z.boolean(),
  verifiesEmail: z.boolean(),
});

const find: z.ZodType<FindUsersBody> = z.strictObject({
  search: z.string().max(200).nullable(),
  role: z.string().max(63).nullable(),
  disabled: z.boolean().nullable(),
  after: z.string().max(200).nullable(),
  limit: z.number().int().min(1).max(100),
});

const newUser: z.ZodType<NewUserBody> = z.strictObject({
  email: z.email().max(254),
  name: z.string().max(255).nullable(),
  roles: z.array(z.string().max(63)).max(50),
});

const created: z.ZodType<CreatedUser> = z.object({
  id: z.string(),
  isMailed: z.boolean(),
  token: z.string().nullable(),
  link: z.string().nullable(),
});

const root = "/internal/projects/:projectId/users";

/** Newest first. */
export const findUsers: CellCall<FindUsersBody, EndUserPage> = {
  method: "POST",
  path: `${root}/find`,
  body: find,
  answer: page,
  status: 200,
};

export const readUser: CellCall<never, EndUserDetail> = {
  method: "GET",
  path: `${root}/:userId`,
  body: null,
  answer: detail,
  status: 200,
};

/** Creates a user without a password, and sends them a link to set one. 409 if the address has an account. */
export const createUser: CellCall<NewUserBody, CreatedUser> = {
  method: "POST",
  path: `${root}/create`,
  body: newUser,
  answer: created,
  status: 200,
};

/** A disabled user can't sign in, and has no session. */
export const setDisabled: CellCall<DisabledBody, null> = {
  method: "PUT",
  path: `${root}/:userId/disabled`,
  body: z.strictObject({ disabled: z.boolean() }),
  answer: null,
  status: 204,
};

export const endSessions: CellCall<EndSessionsBody, null> = {
  method: "POST",
  path: `${root}/:userId/end-sessions`,
  body: z.strictObject({ sessionId: z.uuid().nullable() }),
  answer: null,
  status: 204,
};

/** Sends the mail for a new password. 409 if the project can't send mail. */
export const mailReset: CellCall<never, null> = {
  method: "POST",
  path: `${root}/:userId/mail-reset`,
  body: null,
  answer: null,
  status: 204,
};
