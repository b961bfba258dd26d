// Connectors that send e-mail. Data alone.
import type { ConnectionField, ConnectorAction, ConnectorManifest } from "./manifest.ts";

/** The first part in ASCII; the domain may be an international one. */
const ADDRESS = "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[^\\s@<>,;:/?#%|()\\[\\]\\\\\"]{1,253}$";
const HOST = "^[A-Za-z0-9._:\\-]{1,253}$";

const sender: readonly ConnectionField[] = [
  {
    name: "from_address",
    label: "Sender's address",
    help: "Whom mails come from, such as `hello@example.com`.",
    type: { kind: "text", lengthMax: 320, pattern: ADDRESS },
    required: true,
    fallback: null,
    secret: false,
  },
  {
    name: "from_name",
    label: "Sender's name",
    help: "What readers see beside the address.",
    type: { kind: "text", lengthMax: 100 },
    required: false,
    fallback: null,
    secret: false,
  },
];

const send: ConnectorAction = {
  name: "email.send",
  help: "Sends one mail.",
  input: [
    { name: "to", type: "addresses", required: true, help: "An address, or a list of up to 20." },
    { name: "subject", type: "text", required: false, help: "Without a template." },
    { name: "text", type: "text", required: false, help: "Plain text." },
    { name: "html", type: "text", required: false, help: "HTML; values in it are escaped." },
    { name: "template", type: "text", required: false, help: "A template of the section `emails`." },
    { name: "values", type: "values", required: false, help: "What the template's variables are." },
    { name: "language", type: "text", required: false, help: "Which translation; else the template's own." },
    { name: "reply_to", type: "address", required: false, help: "Where answers go." },
  ],
  output: [
    { name: "id", type: "text", required: true, help: "Of the mail in the project's list of mails." },
    { name: "status", type: "text", required: true, help: "`sent`, `kept` in the mailbox, or `suppressed`." },
    { name: "message_id", type: "text", required: true, help: "The header `Message-ID`." },
  ],
};

export const smtp: ConnectorManifest = {
  provider: "smtp",
  kind: "email",
  label: "SMTP",
  help: "Any mail server that takes mail with a user and a password.",
  fields: [
    {
      name: "host",
      label: "Server",
      help: "Its name, such as `smtp.example.com`.",
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
      help: "`none` only to a server in a network that the operator allows.",
      type: { kind: "choice", of: ["starttls", "tls", "none"] },
      required: true,
      fallback: "starttls",
      secret: false,
    },
    {
      name: "user",
      label: "User",
      help: "Empty where the server asks for none.",
      type: { kind: "text", lengthMax: 320 },
      required: false,
      fallback: null,
      secret: false,
    },
    {
      name: "password",
      label: "Password",
      help: "Stored encrypted, and never shown again.",
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
  help: "Mail by the API of resend.com.",
  fields: [
    {
      name: "api_key",
      label: "API key",
      help: "Stored encrypted, and never shown again.",
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
