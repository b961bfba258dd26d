// Users and sign-in in the OpenAPI document. In: the model. Out: the paths of /v1/users and /v1/auth, and their components.
// These routes are the runtime's own: this text describes them and adds nothing to them.
import type { Model } from "@plinth/blueprint";
import { userFieldsOf } from "./builtin-entities.ts";
import { hasOrganizations } from "./catalog.ts";
import { type DocumentedEntity, entityComponents, filterableFields } from "./openapi-entity.ts";
import { exampleOf } from "./openapi-example.ts";
import { exampleMembership } from "./openapi-organizations.ts";
import {
  body,
  type Components,
  dataOf,
  errors,
  type OpenapiObject,
  pageOf,
  reference,
  reply,
  replyHeaders,
} from "./openapi-shared.ts";
import { patterns } from "./patterns.ts";
import { readableFields } from "./schemas.ts";

export function accountPaths(model: Model): OpenapiObject {
  return { ...userPathsOf(model), ...(model.modules.includes("auth") ? authPaths : {}), ...selfDescriptionPaths };
}

export function accountComponents(model: Model): Components {
  const exampleUser = exampleUserOf(model);
  const session = {
    user: exampleUser,
    access_token: "eyJhbGciOiJFZERTQSJ9.e30.c2ln",
    refresh_token: "r_5f2c",
    expires_in: 900,
  };
  const credentials = { email: exampleUser.email, password: "correct horse battery staple" };
  const user = reference("schemas", "User");
  const auth: Components = {
    schemas: {
      Session: sessionSchema,
      "Credentials.sign_up": credentialsSchema({ name: { type: ["string", "null"], maxLength: 255 } }),
      "Credentials.sign_in": credentialsSchema({}),
      RefreshToken: object({ refresh_token: refreshToken }, ["refresh_token"]),
      SessionToEnd: object({ refresh_token: refreshToken }, []),
    },
    requestBodies: {
      "Auth.sign_up": body(reference("schemas", "Credentials.sign_up"), { ...credentials, name: exampleUser.name }),
      "Auth.sign_in": body(reference("schemas", "Credentials.sign_in"), credentials),
      "Auth.refresh": body(reference("schemas", "RefreshToken"), { refresh_token: session.refresh_token }),
      "Auth.sign_out": body(reference("schemas", "SessionToEnd"), { refresh_token: session.refresh_token }),
    },
    responses: {
      "Auth.session": reply("Signed in", dataOf(reference("schemas", "Session")), { data: session }),
      "Auth.ended": { description: "Signed out", headers: replyHeaders },
    },
  };
  const documented = userOf(model);
  const generated = entityComponents(documented);
  const record = generated.schemas?.User as OpenapiObject;
  const properties = { ...(record.properties as OpenapiObject), roles: rolesOfUser(model) };
  const memberships = { type: "array", items: reference("schemas", "Membership") };
  const users: Components = {
    schemas: {
      User: { ...record, properties },
      ...(hasOrganizations(model) ? { "User.me": { ...record, properties: { ...properties, memberships } } } : {}),
      "User.update": generated.schemas?.["User.update"],
      "User.roles": rolesSchema(model),
    },
    parameters: generated.parameters ?? {},
    requestBodies: {
      "User.update": body(reference("schemas", "User.update"), { name: exampleUser.name }),
      "User.roles": body(reference("schemas", "User.roles"), { roles: ["user"] }),
    },
    responses: {
      "User.one": reply("The user", dataOf(user), { data: exampleUser }),
      ...(hasOrganizations(model)
        ? {
            "User.me": reply("The user, and where they belong", dataOf(reference("schemas", "User.me")), {
              data: { ...exampleUser, memberships: [exampleMembership] },
            }),
          }
        : {}),
      "User.page": reply("A page of users", pageOf(user), {
        data: [exampleUser],
        page: { next_cursor: null, has_more: false },
      }),
    },
  };
  if (!model.modules.includes("auth")) return users;
  return {
    schemas: { ...users.schemas, ...auth.schemas },
    parameters: { ...users.parameters },
    requestBodies: { ...users.requestBodies, ...auth.requestBodies },
    responses: { ...users.responses, ...auth.responses },
  };
}

const refreshToken: OpenapiObject = { type: "string", minLength: 1, maxLength: 200 };

/** Components of an entity begin with its own name, shared ones with a capital: no entity can be called `User`. */
function userOf(model: Model): DocumentedEntity {
  return {
    name: "User",
    plural: "users",
    fields: userFieldsOf(model),
    permissions: [],
    softDelete: false,
    stateMachine: null,
    orgField: null,
    label: null,
    help: null,
  };
}

function exampleUserOf(model: Model): OpenapiObject {
  const example = exampleOf(readableFields(userFieldsOf(model)));
  return { ...example, name: "Ana", roles: ["user"] };
}

function rolesOfUser(model: Model): OpenapiObject {
  return { type: "array", items: { type: "string", examples: model.roles.map(({ name }) => name) }, readOnly: true };
}

const userPathsOf = (model: Model): OpenapiObject => ({
  "/v1/users/me": {
    get: operation("user.me", "Read the signed-in user", {
      200: reference("responses", hasOrganizations(model) ? "User.me" : "User.one"),
      ...errors(401, 429, 503),
    }),
  },
  "/v1/users": {
    get: {
      ...operation("user.list", "List users: an admin sees all, others see themselves", {
        200: reference("responses", "User.page"),
        ...errors(400, 401, 403, 429, 503),
      }),
      parameters: [
        reference("parameters", "limit"),
        reference("parameters", "cursor"),
        reference("parameters", "User.sort"),
        ...filterableFields(userOf(model)).map(({ name }) => reference("parameters", `User.filter.${name}`)),
      ],
    },
  },
  "/v1/users/{id}": {
    parameters: [reference("parameters", "id")],
    get: operation("user.read", "Read one user", {
      200: reference("responses", "User.one"),
      ...errors(400, 401, 403, 404, 429, 503),
    }),
    patch: {
      ...operation("user.update", "Update one user", {
        200: reference("responses", "User.one"),
        ...errors(400, 401, 403, 404, 412, 413, 415, 422, 429, 503),
      }),
      requestBody: reference("requestBodies", "User.update"),
    },
  },
  "/v1/users/{id}/roles": {
    parameters: [reference("parameters", "id")],
    put: {
      ...operation("user.set_roles", "Set a user's roles (admin)", {
        200: reference("responses", "User.one"),
        ...errors(400, 401, 403, 404, 413, 415, 422, 429, 503),
      }),
      requestBody: reference("requestBodies", "User.roles"),
    },
  },
});

/** These take an API key, which names the app that asks; a user's token beside it can say whose session ends. */
const authPaths: OpenapiObject = {
  "/v1/auth/sign-up": authPath("sign_up", "Sign up", "Auth.sign_up", { 201: reference("responses", "Auth.session") }),
  "/v1/auth/sign-in": authPath("sign_in", "Sign in", "Auth.sign_in", { 200: reference("responses", "Auth.session") }),
  "/v1/auth/refresh": authPath("refresh", "Trade a refresh token for a new pair", "Auth.refresh", {
    200: reference("responses", "Auth.session"),
  }),
  "/v1/auth/sign-out": authPath(
    "sign_out",
    "End the session of the refresh token, or of the user's token",
    "Auth.sign_out",
    {
      204: reference("responses", "Auth.ended"),
    },
  ),
};

const selfDescriptionPaths: OpenapiObject = {
  "/v1/openapi.json": described("openapi", "This document", "application/json", { type: "object" }),
  "/v1/sdk.d.ts": described("sdk_types", "The SDK's TypeScript declarations", "text/plain", { type: "string" }),
  "/.well-known/jwks.json": described("jwks", "The keys that verify access tokens", "application/jwk-set+json", {
    type: "object",
  }),
};

function described(id: string, summary: string, mediaType: string, schema: OpenapiObject): OpenapiObject {
  const success = { description: summary, headers: replyHeaders, content: { [mediaType]: { schema } } };
  return {
    get: {
      operationId: `project.${id}`,
      summary,
      tags: ["project"],
      responses: { 200: success, ...errors(401, 429, 503) },
    },
  };
}

function authPath(id: string, summary: string, requestBody: string, success: OpenapiObject): OpenapiObject {
  return {
    post: {
      ...operation(`auth.${id}`, summary, { ...success, ...errors(400, 401, 403, 409, 413, 415, 422, 429, 503) }),
      tags: ["auth"],
      security: [{ apiKey: [] }, { apiKey: [], userToken: [] }],
      requestBody: reference("requestBodies", requestBody),
    },
  };
}

function operation(operationId: string, summary: string, responses: OpenapiObject): OpenapiObject {
  return { operationId, summary, tags: ["user"], responses };
}

function object(properties: OpenapiObject, required: readonly string[]): OpenapiObject {
  return { type: "object", properties, required, additionalProperties: false };
}

function credentialsSchema(more: OpenapiObject): OpenapiObject {
  const email = { type: "string", format: "email", maxLength: 254, pattern: patterns.email };
  const password = { type: "string", format: "password", minLength: 8, maxLength: 256 };
  return object({ email, password, ...more }, ["email", "password"]);
}

const sessionSchema: OpenapiObject = {
  type: "object",
  properties: {
    user: reference("schemas", "User"),
    access_token: { type: "string", description: "A JWT (EdDSA); the project's keys verify it." },
    refresh_token: { type: "string", description: "Good for one refresh; keep it secret." },
    expires_in: { type: "integer", description: "Seconds that the access token holds." },
  },
  required: ["user", "access_token", "refresh_token", "expires_in"],
};

/** Roles that a user can hold: `public` holds for everybody, and is given to nobody. */
function rolesSchema(model: Model): OpenapiObject {
  const names = model.roles.map((role) => role.name).filter((name) => name !== "public");
  const told = model.roles.flatMap(({ name, label, help }) =>
    label === undefined && help === undefined ? [] : [`\`${name}\`: ${[label, help].filter((one) => one).join(". ")}`],
  );
  const description = told.length === 0 ? {} : { description: told.join("\n") };
  return object(
    { roles: { type: "array", items: { type: "string", enum: names }, uniqueItems: true, ...description } },
    ["roles"],
  );
}
