// Where the mails of the installation go: links for new passwords, and invitations. In: the operator's settings. Out: an SMTP
// connection, a folder on this machine, or nothing.
import type { Connection } from "@plinth/connectors/email";

export type OwnMailSettings =
  | { readonly kind: "smtp"; readonly connection: Connection }
  /** For a Plinth on one's own machine. */
  | { readonly kind: "mailbox"; readonly folder: string }
  | { readonly kind: "none" };

const TLS_PORT = 465;
const STARTTLS_PORT = 587;
const SENDER = /^(?:(?<name>[^<>\p{Cc}]*?) ?<)?(?<address>[^\s<>@]+@[^\s<>@]+)>?$/u;

/** @throws Error for the operator. It never repeats the URL, which contains a password. */
export function smtpConnection(url: string, from: string | undefined): Connection {
  const parsed = URL.parse(url);
  if (parsed === null || !/^smtps?:$/.test(parsed.protocol) || parsed.hostname === "")
    throw new Error(
      "must be an address such as smtp://user:password@mail.example.com:587, or smtps://... for port 465",
    );
  const sender = SENDER.exec(from ?? "")?.groups;
  if (sender === undefined) throw new Error("requires PLINTH_MAIL_FROM, such as Plinth <plinth@example.com>");
  const security = securityOf(parsed);
  const user = decodeURIComponent(parsed.username);
  if (user !== "" && security === "none") throw new Error("can't send a password without encryption");
  return {
    settings: {
      host: parsed.hostname.replace(/^\[|\]$/g, ""),
      port: parsed.port === "" ? (security === "tls" ? TLS_PORT : STARTTLS_PORT) : Number(parsed.port),
      security,
      from_address: sender["address"] ?? "",
      from_name: sender["name"] || "Plinth",
      ...(user === "" ? {} : { user }),
    },
    secrets: user === "" ? {} : { password: decodeURIComponent(parsed.password) },
  };
}

function securityOf(url: URL): "tls" | "starttls" | "none" {
  if (url.protocol === "smtps:") return "tls";
  const wanted = url.searchParams.get("tls");
  if (wanted !== null && wanted !== "none")
    throw new Error("can only have ?tls=none, for a server in a private network");
  return wanted === "none" ? "none" : "starttls";
}
