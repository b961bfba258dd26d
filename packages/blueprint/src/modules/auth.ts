// Sign-up and sign-in of a project's users. Out: what a project has of it where it lists `auth`. Its routes take an API key, which
// names the app that asks; a user's token beside it can say whose session ends.
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

function credentialsSchema(more: JsonObject): JsonObject {
  const password = { type: "string", format: "password", minLength: 8, maxLength: 256 };
  return bodySchema({ email: sentAddress, password, ...more }, ["email", "password"]);
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

function operation(
  name: string,
  told: Pick<ModuleOperation, "summary" | "body" | "replies"> & { readonly path: string; readonly sdk: string | null },
): ModuleOperation {
  return {
    id: `auth.${name}`,
    method: "POST",
    tag: "auth",
    audience: "key",
    query: null,
    faults: [400, 401, 403, 409, 413, 415, 422, 429, 503],
    ...told,
  };
}

export const authDescription: ModuleDescription = {
  module: "auth",
  entity: null,
  events: authEvents,
  schemas: {
    Session: replySchema({
      user: schemaNamed("User"),
      access_token: { type: "string", description: "A JWT (EdDSA); the project's keys verify it." },
      refresh_token: { type: "string", description: "Good for one refresh; keep it secret." },
      expires_in: { type: "integer", description: "Seconds that the access token holds." },
    }),
    "Credentials.sign_up": credentialsSchema({ name: { type: ["string", "null"], maxLength: 255 } }),
    "Credentials.sign_in": credentialsSchema({}),
    RefreshToken: bodySchema({ refresh_token: refreshToken }, ["refresh_token"]),
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
      replies: { 201: session },
      sdk: "auth.signUp",
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
      summary: "Trade a refresh token for a new pair",
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
      summary: "End the session of the refresh token, or of the user's token",
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
