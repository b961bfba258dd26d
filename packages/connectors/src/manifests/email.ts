// Connectors that send e-mail. Only data.
import type { ConnectionField, ConnectorAction, ConnectorManifest } from "./manifest.ts";

/** The local part in ASCII; the domain can be international. */
const ADDRESS = "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[^\\s@<>,;:/?#%|()\\[\\]\\\\\"]{1,253}$";
const HOST = "^[A-Za-z0-9._:\\-]{1,253}$";

const sender: readonly ConnectionField[] = [
  {
    name: "from_address",
    label: "Sender's address",
    help: "The sender's address, such as `hello@example.com`.",
    type: { kind: "text", lengthMax: 320, pattern: ADDRESS },
    required: true,
    fallback: null,
    secret: false,
  },
  {
    name: "from_name",
    label: "Sender's name",
    help: "The sender's name, which readers see with the address.",
    type: { kind: "text", lengthMax: 100 },
    required: false,
    fallback: null,
    secret: false,
  },
];

const send: ConnectorAction = {
  name: "email.send",
  help: "Send one mail.",
  input: [
    { name: "to", type: "addresses", required: true, help: "An address, or a list of up to 20." },
    { name: "subject", type: "text", required: false, help: "The subject, if there is no template." },
    { name: "text", type: "text", required: false, help: "The body as plain text." },
    { name: "html", type: "text", required: false, help: "The body as HTML. Values in it are escaped." },
    { name: "template", type: "text", required: false, help: "A template from the section `emails`." },
    { name: "values", type: "values", required: false, help: "The values of the template's variables." },
    {
      name: "language",
      type: "text",
      required: false,
      help: "The language of the translation. The default is the language of the template.",
    },
    { name: "reply_to", type: "address", required: false, help: "The address for replies." },
  ],
  output: [
    { name: "id", type: "text", required: true, help: "The id of the mail in the project's list of mails." },
    { name: "status", type: "text", required: true, help: "`sent`, `kept` in the mailbox, or `suppressed`." },
    { name: "message_id", type: "text", required: true, help: "The header `Message-ID`." },
  ],
};

export const smtp: ConnectorManifest = {
  provider: "smtp",
  kind: "email",
  label: "SMTP",
  help: "Any mail server that accepts mail from a user with a password.",
  fields: [
    {
      name: "host",
      label: "Server",
      help: "The host name, such as `smtp.example.com`.",
      type: { kind: "text", lengthMax: 253, pattern: HOST },
      required: true,
      fallback: null,
      secret: false,
    },
    {
      name: "port",
      label: "Port",
      help: "587 for STARTTLS, 465 for TLS.",
      type: { kind: "integer", min: 1, max: 65_535 },
      required: true,
      fallback: 587,
      secret: false,
    },
    {
      name: "security",
      label: "Encryption",
      help: "Use `none` only for a server in a network that the operator allows.",
      type: { kind: "choice", of: ["starttls", "tls", "none"] },
      required: true,
      fallback: "starttls",
      secret: false,
    },
    {
      name: "user",
      label: "User",
      help: "Empty if the server needs no user.",
      type: { kind: "text", lengthMax: 320 },
      required: false,
      fallback: null,
      secret: false,
    },
    {
      name: "password",
      label: "Password",
      help: "Stored encrypted and never shown again.",
      type: { kind: "text", lengthMax: 1_000 },
      required: false,
      fallback: null,
      secret: true,
    },
    ...sender,
  ],
  actions: [send],
  hosts: [{ field: "host" }],
};

export const resend: ConnectorManifest = {
  provider: "resend",
  kind: "email",
  label: "Resend",
  help: "Mail through the API of resend.com.",
  fields: [
    {
      name: "api_key",
      label: "API key",
      help: "Stored encrypted and never shown again.",
      type: { kind: "text", lengthMax: 500 },
      required: true,
      fallback: null,
      secret: true,
    },
    ...sender,
  ],
  actions: [send],
  hosts: [{ host: "api.resend.com" }],
};
