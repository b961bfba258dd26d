// For tests: a mail server on a port of its own, with a user and a password. In: what it does with a mail. Out: the mails that came.
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came, headers and all. */
  readonly raw: string;
}

export interface MailServer {
  readonly port: number;
  readonly received: readonly ReceivedMail[];
  close(): Promise<void>;
}

export const mailUser = { user: "desk", password: "correct horse" } as const;

/** `lose`: the mail is taken, and the connection ends before that is said. A number: it is refused with that code. */
export type MailAnswer = "take" | "lose" | number;

export async function startMailServer(answer: (at: number) => MailAnswer = () => "take"): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let came = 0;
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    onAuth({ username, password }, _, done) {
      if (username === mailUser.user && password === mailUser.password) done(null, { user: username });
      else done(new Error("wrong user or password"));
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
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

interface Closable {
  readonly _socket: { destroy(): void };
}

/** What a connection with it is told. */
export function settingsOf({ port }: MailServer): Readonly<Record<string, string | number>> {
  return {
    host: "127.0.0.1",
    port,
    security: "none",
    from_address: "desk@example.com",
    from_name: "The desk",
    ...mailUser,
  };
}
