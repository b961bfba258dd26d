// A mail server in the operator's own network, as a separate process. `GET /` lists the mails as they arrived.
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { serveOutside } from "./process.ts";

const mails: object[] = [];
const server = new SMTPServer({
  // Without encryption, nobody sends it a password.
  disabledCommands: ["AUTH", "STARTTLS"],
  logger: false,
  onData(stream, { envelope }, done) {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      mails.push({ to: envelope.rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString("utf8") });
      done(null);
    });
  },
});
server.on("error", () => {});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.server.address() as AddressInfo;
await serveOutside(() => ({ status: 200, body: mails }), { smtpPort: port });
