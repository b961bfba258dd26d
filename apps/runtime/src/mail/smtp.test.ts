// SMTP against a real server with its own certificate: STARTTLS, implicit TLS and AUTH. A certificate that doesn't
// match is refused before the password is sent, and so is a password without encryption.
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { loadEmailProvider, type Mail, MailError } from "@plinth/connectors/email";
import { networksOf } from "@plinth/service";
import {
  type Certificate,
  type MailServer,
  type MailServerOptions,
  mailUser,
  makeCertificate,
  startMailServer,
} from "@plinth/testkit/mail-server";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { createOutbound } from "../outbound/call.ts";
import { createNetwork } from "./network.ts";

const allowed = networksOf(["127.0.0.1"]);
const network = createNetwork({ outbound: createOutbound({ outboundAllowed: allowed }), allowed }, "prj_test");
const smtp = (await loadEmailProvider("smtp"))!;
const mail: Mail = {
  messageId: "<one@example.com>",
  to: "ana@example.com",
  replyTo: null,
  subject: "Hello",
  text: "Hello.",
  html: null,
  key: "one",
};

const own = getCACertificates("default");
let good: Certificate;
let ofAnother: Certificate;
let expired: Certificate;
let stranger: Certificate;
let server: MailServer | null = null;

beforeAll(async () => {
  good = await makeCertificate("localhost");
  ofAnother = await makeCertificate("mail.example.com");
  expired = await makeCertificate("localhost", { notAfterDate: new Date(Date.now() - 24 * 3_600_000) });
  stranger = await makeCertificate("localhost");
  setDefaultCACertificates([...own, good.cert, ofAnother.cert, expired.cert]);
});
afterAll(() => setDefaultCACertificates(own));
afterEach(async () => {
  await server?.close();
  server = null;
});

async function send(
  options: MailServerOptions,
  {
    settings = {},
    password = mailUser.password as string,
    more = {},
  }: { settings?: object; password?: string; more?: Partial<Mail> } = {},
): Promise<string | null> {
  server = await startMailServer(options);
  const connection = {
    settings: {
      host: "localhost",
      port: server.port,
      security: options.tls?.mode === "implicit" ? "tls" : "starttls",
      user: mailUser.user,
      from_address: "desk@example.com",
      ...settings,
    },
    secrets: { password },
  };
  await smtp.test(connection, network, 5_000);
  return smtp.send(connection, { ...mail, ...more }, network, 5_000);
}

const failing = (sending: Promise<unknown>): Promise<MailError> =>
  sending.then(
    () => Promise.reject(new Error("it was sent")),
    (error: unknown) => (error instanceof MailError ? error : Promise.reject(error)),
  );

it.each(["starttls", "implicit"] as const)("%s: the mail goes encrypted, by the user", async (mode) => {
  await send({ tls: { ...good, mode } });
  expect(server!.received).toMatchObject([{ to: ["ana@example.com"], user: "desk", encrypted: true }]);
});

it.each(["starttls", "implicit"] as const)("%s: a wrong password is refused", async (mode) => {
  const error = await failing(send({ tls: { ...good, mode } }, { password: "wrong" }));
  expect(error).toMatchObject({
    problem: "refused",
    message: "The mail server doesn't accept this user and password.",
  });
  expect(server!.received).toEqual([]);
});

const certificates: Readonly<Record<string, () => Certificate>> = {
  "of another name": () => ofAnother,
  "that has expired": () => expired,
  "of an unknown issuer": () => stranger,
};
it.each(
  Object.keys(certificates).flatMap((which) =>
    (["starttls", "implicit"] as const).map((mode) => [which, mode] as const),
  ),
)("a certificate %s is refused by %s, and no password is sent", async (which, mode) => {
  const error = await failing(send({ tls: { ...certificates[which]!(), mode } }));
  expect(error).toMatchObject({
    problem: "refused",
    message: "The certificate of the mail server is not valid for its host name.",
  });
  expect([server!.signIns, server!.received]).toEqual([[], []]);
});

it("a server without encryption gets neither password nor mail", async () => {
  const error = await failing(send({}));
  expect(error).toMatchObject({ problem: "refused", message: "The mail server doesn't offer encryption." });
  expect([server!.signIns, server!.received]).toEqual([[], []]);
});

it("no password is sent over an unencrypted connection, even if the server would accept it", async () => {
  const error = await failing(send({ tls: { ...good, mode: "starttls" } }, { settings: { security: "none" } }));
  expect(error).toMatchObject({ problem: "refused", message: "A password is sent only over an encrypted connection." });
  expect([server!.signIns, server!.received]).toEqual([[], []]);
});

it("an unknown recipient is refused", async () => {
  const error = await failing(send({ tls: { ...good, mode: "starttls" }, unknown: () => true }));
  expect(error).toMatchObject({ problem: "refused", message: "The mail server answered with 550 no such user." });
  expect(error).toMatchObject({ isBadAddress: true, reply: "550 no such user" });
});

it.each([
  [421, "unreachable"],
  [451, "unreachable"],
  [552, "refused"],
] as const)("the answer %i to a mail: %s", async (code, problem) => {
  expect(await failing(send({ tls: { ...good, mode: "starttls" }, answer: () => code }))).toMatchObject({ problem });
});

it("the result is unknown if the connection ends after the mail, but not if it ends before", async () => {
  expect(await failing(send({ tls: { ...good, mode: "implicit" }, answer: () => "lose" }))).toMatchObject({
    problem: "unknown",
  });
  await server!.close();
  const gone = {
    settings: { host: "localhost", port: server!.port, security: "tls", from_address: "a@b.c" },
    secrets: {},
  };
  expect(await failing(smtp.send(gone, mail, network, 2_000))).toMatchObject({ problem: "unreachable" });
});

it("a sender's name, a subject and an address can't begin another header", async () => {
  await send(
    { tls: { ...good, mode: "starttls" } },
    {
      settings: { from_name: 'Desk" <x@evil.example>, "Ü' },
      more: { subject: "Hi, <x>; =?utf-8?q?x?= ü", replyTo: "o'neil+tag@xn--exmple-cua.de" },
    },
  );
  const [head = ""] = server!.received[0]!.raw.split("\r\n\r\n");
  const headers = head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  expect(headers.filter((line) => /^(from|to|cc|bcc|reply-to|subject):/i.test(line))).toHaveLength(4);
  expect(headers.find((line) => line.startsWith("From:"))).toMatch(/<desk@example\.com>$/);
  expect(headers.find((line) => line.startsWith("Reply-To:"))).toBe("Reply-To: o'neil+tag@xn--exmple-cua.de");
});
