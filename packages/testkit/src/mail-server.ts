// For tests: a mail server on its own port. In: what it does with a mail, and how it is encrypted. Out: the mails that
// it received.
import type { AddressInfo } from "node:net";
import { generate } from "selfsigned";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The user who signed in; null if nobody did. */
  readonly user: string | null;
  readonly encrypted: boolean;
  /** As received, with all headers. */
  readonly raw: string;
}

export interface MailServer {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  /** Users and passwords that were tried. */
  readonly signIns: readonly (readonly [user: string, password: string])[];
  close(): Promise<void>;
}

export const mailUser = { user: "desk", password: "correct horse" } as const;

/**
 * `lose`: the mail is accepted, and the connection ends before the server confirms it. A number: the mail is refused
 * with that code.
 */
export type MailAnswer = "take" | "lose" | number;

export interface MailServerOptions {
  readonly answer?: (at: number) => MailAnswer;
  /** Answers an address with 550. */
  readonly unknown?: (address: string) => boolean;
  /** Without it, the server has no TLS and requires no sign-in. */
  readonly tls?: Certificate & { readonly mode: "starttls" | "implicit" };
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Self-signed, for names and an address of this machine. @param more Further settings, such as its validity. */
export async function makeCertificate(name: string, more: { readonly notAfterDate?: Date } = {}): Promise<Certificate> {
  const pair = await generate([{ name: "commonName", value: name }], {
    keyType: "ec",
    notBeforeDate: new Date(Date.now() - 48 * 3_600_000),
    ...more,
    extensions: [
      { name: "basicConstraints", cA: true },
      { name: "subjectAltName", altNames: [{ type: 2, value: name }] },
    ],
  });
  return { key: pair.private, cert: pair.cert };
}

export async function startMailServer({
  answer = () => "take",
  unknown = () => false,
  tls,
}: MailServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const signIns: (readonly [string, string])[] = [];
  let came = 0;
  const server = new SMTPServer({
    ...(tls === undefined
      ? { disabledCommands: ["STARTTLS", "AUTH"], authOptional: true }
      : { key: tls.key, cert: tls.cert, secure: tls.mode === "implicit", allowInsecureAuth: true }),
    logger: false,
    onAuth({ username, password }, _, done) {
      signIns.push([username ?? "", password ?? ""]);
      if (username === mailUser.user && password === mailUser.password) done(null, { user: username });
      else done(new Error("wrong user or password"));
    },
    onRcptTo({ address }, _, done) {
      done(unknown(address) ? Object.assign(new Error("no such user"), { responseCode: 550 }) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const said = answer(++came);
        received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user === undefined ? null : String(session.user),
          encrypted: session.secure,
          raw: Buffer.concat(chunks).toString("utf8"),
        });
        if (said === "take") return done(null);
        if (said === "lose") {
          for (const each of server.connections) (each as unknown as Closable)._socket.destroy();
          return;
        }
        received.pop();
        done(Object.assign(new Error("not now"), { responseCode: said }));
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    signIns,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

interface Closable {
  readonly _socket: { destroy(): void };
}

/** The settings of an unencrypted connection to the server. */
export function settingsOf({ port }: MailServer): Readonly<Record<string, string | number>> {
  return {
    host: "127.0.0.1",
    port,
    security: "none",
    from_address: "desk@example.com",
    from_name: "The desk",
  };
}

/** The same for a server with STARTTLS, whose certificate is for `localhost`. */
export function securedSettingsOf(server: MailServer): Readonly<Record<string, string | number>> {
  return { ...settingsOf(server), ...mailUser, host: "localhost", security: "starttls" };
}
