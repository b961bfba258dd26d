// Sends the mails of the installation itself. In: a mail. Out: it was handed to the operator's mail server, or stored in the mailbox
// on this machine. It never logs a mail: its link signs somebody in.
import { randomBytes } from "node:crypto";
import { lookup } from "node:dns/promises";
import { loadEmailProvider, MailError, type Network } from "@plinth/connectors/email";
import { FairQueue } from "@plinth/service";
import ipaddr from "ipaddr.js";
import { storeInMailbox } from "./mailbox.ts";
import type { OwnMail } from "./own-mail.ts";
import type { OwnMailSettings } from "./settings.ts";

export interface OwnMailer {
  readonly kind: OwnMailSettings["kind"];
  /** @throws MailError if the mail was not sent, or if that is unknown. */
  send(mail: OwnMail): Promise<void>;
}

const SEND_MS_MAX = 15_000;
const PLACES = 4;
const WAITING_MAX = 200;

export function createOwnMailer(settings: OwnMailSettings): OwnMailer {
  const queue = new FairQueue({
    places: PLACES,
    placesPerProject: PLACES,
    waitingMax: WAITING_MAX,
    waitMsMax: SEND_MS_MAX,
    refusal: () => new MailError("unreachable", "Too many mails are waiting."),
  });
  return {
    kind: settings.kind,
    send: (mail) => queue.run("own", () => sendNow(settings, mail)),
  };
}

async function sendNow(settings: OwnMailSettings, { to, subject, text }: OwnMail): Promise<void> {
  switch (settings.kind) {
    case "none":
      throw new MailError("refused", "This Plinth sends no mail.");
    case "mailbox":
      return storeInMailbox(settings.folder, { to, subject, text });
    case "smtp": {
      const { connection } = settings;
      const key = randomBytes(16).toString("hex");
      const domain = String(connection.settings["from_address"]).split("@")[1];
      const mail = { messageId: `<${key}@${domain}>`, to, replyTo: null, subject, text, html: null, key };
      const smtp = await loadEmailProvider("smtp");
      await smtp?.send(connection, mail, network, SEND_MS_MAX);
    }
  }
}

/** The operator names the server, so it may be in a private network. Without encryption, it must be. */
const network: Network = {
  resolve: async (host, { encrypted }) => {
    const [found] = await within(SEND_MS_MAX, lookup(host, { all: true })).catch((cause: unknown) => {
      throw new MailError("unreachable", "The host name of the mail server can't be resolved.", cause);
    });
    if (found === undefined) throw new MailError("unreachable", "The mail server has no address.");
    if (!encrypted && !isPrivate(found.address))
      throw new MailError("refused", "A mail is only sent without encryption within a private network.");
    return found.address;
  },
  fetch: () => Promise.reject(new MailError("refused", "This Plinth only sends mail by SMTP.")),
};

function isPrivate(address: string): boolean {
  return ["loopback", "private", "uniqueLocal", "linkLocal"].includes(ipaddr.process(address).range());
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
