// Sign-up and sign-in of a project's users. Out: what a project has if it lists `auth`. Its routes need an API key,
// which identifies the calling app; with a user's token, the request names the session to end.
import {
  EXAMPLE_RECORD,
  type JsonObject,
  type ModuleDescription,
  type ModuleEvent,
  type ModuleOperation,
  type OperationReply,
} from "./description.ts";
import { bodySchema, exampleAddress, replySchema, schemaNamed, sentAddress, withoutBody } from "./schema-parts.ts";
import { USER_ENTITY } from "./users.ts";

export const authEvents: readonly ModuleEvent[] = [
  { name: "user.created", entity: USER_ENTITY, data: [], help: "Somebody signed up." },
];

const exampleRefreshToken = "r_5f2c";
const credentials = { email: exampleAddress, password: "correct horse battery staple" };
const refreshToken: JsonObject = { type: "string", minLength: 1, maxLength: 200 };

const newPassword: JsonObject = { type: "string", format: "password", minLength: 8, maxLength: 256 };
const mailToken: JsonObject = { type: "string", minLength: 1, maxLength: 200, description: "The token from the mail." };
const exampleToken = "plm_5f2c";

function credentialsSchema(more: JsonObject): JsonObject {
  return bodySchema({ email: sentAddress, password: newPassword, ...more }, ["email", "password"]);
}

const session: OperationReply = {
  description: "Signed in",
  component: "Auth.session",
  content: {
    kind: "data",
    schema: schemaNamed("Session"),
    example: {
      user: { [EXAMPLE_RECORD]: true },
      access_token: "eyJhbGciOiJFZERTQSJ9.e30.c2ln",
      refresh_token: exampleRefreshToken,
      expires_in: 900,
    },
  },
};

/** The answer is the same whether or not there is an account. */
const mailSent: OperationReply = {
  description: "A mail with the next step was sent",
  component: "Auth.mail_sent",
  content: { kind: "data", schema: schemaNamed("MailSent"), example: { status: "mail_sent" } },
};

function operation(
  name: string,
  options: Pick<ModuleOperation, "summary" | "body" | "replies"> & {
    readonly path: string;
    readonly sdk: string | null;
  },
): ModuleOperation {
  return {
    id: `auth.${name}`,
    method: "POST",
    tag: "auth",
    audience: "key",
    query: null,
    faults: [400, 401, 403, 409, 413, 415, 422, 429, 503],
    ...options,
  };
}

export const authDescription: ModuleDescription = {
  module: "auth",
  entity: null,
  events: authEvents,
  schemas: {
    Session: replySchema({
      user: schemaNamed("User"),
      access_token: { type: "string", description: "A JWT (EdDSA). Verify it with the project's public keys." },
      refresh_token: { type: "string", description: "A token for one refresh. Keep it secret." },
      expires_in: { type: "integer", description: "The number of seconds until the access token expires." },
    }),
    "Credentials.sign_up": credentialsSchema({
      name: { type: ["string", "null"], maxLength: 255 },
      profile: { type: "object", description: "Profile fields, as in an update of a user." },
    }),
    "Credentials.sign_in": credentialsSchema({}),
    RefreshToken: bodySchema({ refresh_token: refreshToken }, ["refresh_token"]),
    ProofOfAddress: bodySchema({ token: mailToken, password: newPassword }, ["token", "password"]),
    ForgottenPassword: bodySchema({ email: sentAddress }, ["email"]),
    NewPassword: bodySchema({ token: mailToken, password: newPassword }, ["token", "password"]),
    MailSent: replySchema({ status: { type: "string", enum: ["mail_sent"] } }),
    SessionToEnd: bodySchema({ refresh_token: refreshToken }, []),
  },
  operations: [
    operation("sign_up", {
      path: "/v1/auth/sign-up",
      summary: "Sign up",
      body: {
        component: "Auth.sign_up",
        schema: schemaNamed("Credentials.sign_up"),
        example: { ...credentials, name: "Ana" },
      },
      replies: { 201: session, 202: mailSent },
      sdk: "auth.signUp",
    }),
    operation("verify_email", {
      path: "/v1/auth/verify-email",
      summary: "Verify the address of a sign-up, and sign in",
      body: {
        component: "Auth.verify_email",
        schema: schemaNamed("ProofOfAddress"),
        example: { token: exampleToken, password: credentials.password },
      },
      replies: { 201: session },
      sdk: "auth.verifyEmail",
    }),
    operation("forgot_password", {
      path: "/v1/auth/forgot-password",
      summary: "Request a mail to reset a password",
      body: {
        component: "Auth.forgot_password",
        schema: schemaNamed("ForgottenPassword"),
        example: { email: exampleAddress },
      },
      replies: { 202: mailSent },
      sdk: "auth.forgotPassword",
    }),
    operation("reset_password", {
      path: "/v1/auth/reset-password",
      summary: "Set a new password with the token from a mail, and end all sessions",
      body: {
        component: "Auth.reset_password",
        schema: schemaNamed("NewPassword"),
        example: { token: exampleToken, password: credentials.password },
      },
      replies: { 204: { ...withoutBody("Signed out"), component: "Auth.ended" } },
      sdk: "auth.resetPassword",
    }),
    operation("sign_in", {
      path: "/v1/auth/sign-in",
      summary: "Sign in",
      body: { component: "Auth.sign_in", schema: schemaNamed("Credentials.sign_in"), example: credentials },
      replies: { 200: session },
      sdk: "auth.signIn",
    }),
    operation("refresh", {
      path: "/v1/auth/refresh",
      summary: "Exchange a refresh token for a new pair of tokens",
      body: {
        component: "Auth.refresh",
        schema: schemaNamed("RefreshToken"),
        example: { refresh_token: exampleRefreshToken },
      },
      replies: { 200: session },
      sdk: "auth.refresh",
    }),
    operation("sign_out", {
      path: "/v1/auth/sign-out",
      summary: "Sign out: end the session of the refresh token, or of the user's token",
      body: {
        component: "Auth.sign_out",
        schema: schemaNamed("SessionToEnd"),
        example: { refresh_token: exampleRefreshToken },
      },
      replies: { 204: { ...withoutBody("Signed out"), component: "Auth.ended" } },
      sdk: "auth.signOut",
    }),
  ],
};
