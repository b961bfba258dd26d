// Mail of a project. Out: the routes that every project with mail has.
import type { JsonObject, ModuleDescription, ModuleOperation, OperationBody, OperationReply } from "./description.ts";
import {
  bodySchema,
  exampleAddress,
  exampleId,
  exampleTime,
  replySchema,
  schemaNamed,
  textOrNull,
} from "./schema-parts.ts";

const settings: JsonObject = { type: "object", additionalProperties: { type: ["string", "integer"] } };
const at: JsonObject = { type: "string", format: "date-time" };
const name: JsonObject = { type: "string", minLength: 1, maxLength: 63 };
const address: JsonObject = { type: "string", minLength: 3, maxLength: 320 };
const messageId = "<4f1c@example.com>";

const mailStatuses: readonly string[] = [
  "sending",
  "sent",
  "kept",
  "suppressed",
  "failed",
  "unknown",
  "bounced",
  "complained",
];

const mailProperties: JsonObject = {
  id: schemaNamed("Id"),
  status: {
    type: "string",
    enum: mailStatuses,
    description:
      "`kept`: in the mailbox of a project without a connection. `unknown`: it is not known whether it was sent.",
  },
  message_id: { type: "string" },
  connection: textOrNull,
  template: textOrNull,
  error: textOrNull,
  created_at: at,
  to: { type: "array", items: { type: "string" } },
  subject: { type: "string" },
};
const exampleMail: JsonObject = {
  id: exampleId,
  status: "sent",
  message_id: messageId,
  connection: "mail",
  template: "welcome",
  error: null,
  created_at: exampleTime,
  to: [exampleAddress],
  subject: "Welcome",
};
const exampleSettings: JsonObject = {
  host: "smtp.example.com",
  port: 587,
  security: "starttls",
  from_address: "desk@example.com",
};

function listOf(schema: string): JsonObject {
  return { type: "array", items: schemaNamed(schema) };
}

interface OperationOptions {
  readonly summary: string;
  readonly query?: ModuleOperation["query"];
  readonly body?: OperationBody;
  readonly reply: OperationReply;
}

function operation(
  id: string,
  route: string,
  { summary, query = null, body, reply }: OperationOptions,
): ModuleOperation {
  const [method, path = ""] = route.split(" ");
  return {
    id: `email.${id}`,
    method: method === "GET" ? "GET" : "POST",
    path,
    summary,
    tag: "email",
    audience: "admin",
    query,
    body: body ?? null,
    replies: { [reply.content === null ? 204 : 200]: reply },
    faults: body === undefined ? [400, 401, 403, 404, 429, 503] : [400, 401, 403, 404, 413, 415, 422, 429, 503],
    sdk: null,
  };
}

const data = (description: string, schema: JsonObject, example: OperationBody["example"]): OperationReply => ({
  description,
  content: { kind: "data", schema, example },
});
const nothing = (description: string): OperationReply => ({ description, content: null });

const exampleConnection: JsonObject = {
  name: "mail",
  provider: "smtp",
  settings: exampleSettings,
  secrets: ["password"],
  updated_at: exampleTime,
};

const exampleTemplate: JsonObject = {
  name: "welcome",
  help: null,
  language: "en",
  languages: ["de", "en"],
  values_schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  example: { name: "name" },
};

export const emailDescription: ModuleDescription = {
  module: null,
  entity: null,
  events: [],
  schemas: {
    Connection: replySchema({
      name,
      provider: { type: "string" },
      settings,
      secrets: {
        type: "array",
        items: { type: "string" },
        description: "The names of the encrypted values, never the values.",
      },
      updated_at: at,
    }),
    Email: replySchema(mailProperties),
    EmailWithContent: replySchema({
      ...mailProperties,
      text: { ...textOrNull, description: "Null if the mail was sent: only its recipients have the text then." },
      html: textOrNull,
    }),
    EmailTemplate: replySchema({
      name,
      help: textOrNull,
      language: { type: "string", description: "If the template does not exist, or the mail uses none." },
      languages: { type: "array", items: { type: "string" } },
      values_schema: { type: "object", description: "The JSON Schema of the variables." },
      example: { type: "object", description: "Example values for a preview." },
    }),
    EmailPreview: replySchema({ subject: { type: "string" }, text: { type: "string" }, html: textOrNull }),
    Suppression: replySchema({
      address,
      reason: { type: "string", enum: ["bounced", "complained", "manual"] },
      created_at: at,
    }),
  },
  operations: [
    operation("list_connections", "GET /v1/connections", {
      summary: "List the connections to other services",
      reply: data("All connections", listOf("Connection"), [exampleConnection]),
    }),
    operation("set_connection", "POST /v1/connections", {
      summary: "Set or replace a connection, after a successful test",
      body: {
        schema: bodySchema({ name, provider: { type: "string" }, settings }, ["name", "provider", "settings"]),
        example: { name: "mail", provider: "smtp", settings: { ...exampleSettings, user: "desk", password: "..." } },
      },
      reply: data("The connection works and is now in use", schemaNamed("Connection"), exampleConnection),
    }),
    operation("remove_connection", "POST /v1/connections/remove", {
      summary: "Delete a connection",
      body: { schema: bodySchema({ name }, ["name"]), example: { name: "mail" } },
      reply: data("Forgotten", replySchema({ name }), { name: "mail" }),
    }),
    operation("test_connection", "POST /v1/connections/test", {
      summary: "Test a connection without sending anything",
      body: { schema: bodySchema({ name }, ["name"]), example: { name: "mail" } },
      reply: data("The connection works", replySchema({ name }), { name: "mail" }),
    }),
    operation("list", "GET /v1/emails", {
      summary: "List the mails of the project, newest first",
      query: { records: "mails", filters: { status: mailStatuses, template: "text" }, limit: 100 },
      reply: {
        description: "A page of mails, newest first",
        content: { kind: "page", schema: schemaNamed("Email"), example: exampleMail },
      },
    }),
    operation("read", "GET /v1/emails/{email_id}", {
      summary: "Read one mail",
      reply: data("The mail", schemaNamed("EmailWithContent"), { ...exampleMail, text: "Welcome.", html: null }),
    }),
    operation("list_templates", "GET /v1/email-templates", {
      summary: "List the e-mail templates of the live version",
      reply: data("All templates", listOf("EmailTemplate"), [exampleTemplate]),
    }),
    operation("preview", "POST /v1/emails/preview", {
      summary: "Preview a template, with example values by default",
      body: {
        schema: bodySchema(
          { template: name, values: { type: "object" }, language: { type: "string", maxLength: 35 } },
          ["template"],
        ),
        example: { template: "welcome", values: { name: "Ana" }, language: "de" },
      },
      reply: data("The rendered mail", schemaNamed("EmailPreview"), {
        subject: "Welcome",
        text: "Welcome.\n",
        html: "<p>Welcome.</p>",
      }),
    }),
    operation("list_suppressions", "GET /v1/email-suppressions", {
      summary: "List the addresses that get no more mail",
      reply: data("At most 1,000 addresses", listOf("Suppression"), [
        { address: exampleAddress, reason: "bounced", created_at: exampleTime },
      ]),
    }),
    operation("suppress", "POST /v1/email-suppressions", {
      summary: "Stop mail to an address",
      body: { schema: bodySchema({ address }, ["address"]), example: { address: exampleAddress } },
      reply: nothing("Noted"),
    }),
    operation("unsuppress", "POST /v1/email-suppressions/remove", {
      summary: "Allow mail to an address again",
      body: { schema: bodySchema({ address }, ["address"]), example: { address: exampleAddress } },
      reply: nothing("Noted"),
    }),
  ],
};
