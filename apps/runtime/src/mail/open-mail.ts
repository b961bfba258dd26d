// Connects the parts that send a project's mails. In: a pool, keys and settings. Out: the mailer, and the data that
// people see and set.

import type { Network } from "@plinth/connectors/email";
import { createUuidV7, type Networks } from "@plinth/service";
import type { Pool } from "pg";
import { createSecretBox } from "../identity/secret-box.ts";
import { createOutbound } from "../outbound/call.ts";
import { createNameLookup } from "../outbound/judged-addresses.ts";
import { type Connections, createConnections } from "./connections.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createMailer, type Mailer } from "./mailer.ts";
import { createNetwork } from "./network.ts";
import { createSuppressions, type Suppressions } from "./suppressions.ts";

export interface MailSettings {
  readonly kek: Buffer;
  readonly outboundAllowed?: Networks;
  /** Ports of public addresses that HTTP providers can be called on. */
  readonly outboundPorts?: ReadonlySet<number>;
  /** Maximum mails of one project in an hour. Default 1,000. */
  readonly mailsPerHour?: number;
  /** Whether the mails of a project without a connection are kept, and shown in the console. Default: no. */
  readonly mailbox?: boolean;
}

export interface MailParts {
  readonly mailer: Mailer;
  readonly connections: Connections;
  readonly ledger: Ledger;
  readonly suppressions: Suppressions;
  readonly networkOf: (projectId: string) => Network;
}

export const defaultMailsPerHour = 1_000;

export function openMail(pool: Pool, settings: MailSettings): MailParts {
  const {
    kek,
    outboundAllowed: allowed = () => false,
    outboundPorts,
    mailsPerHour = defaultMailsPerHour,
    mailbox = false,
  } = settings;
  const box = createSecretBox(kek);
  const lookUp = createNameLookup();
  const outbound = createOutbound(
    { outboundAllowed: allowed, ...(outboundPorts ? { outboundPorts } : {}) },
    undefined,
    lookUp,
  );
  const networkOf = (projectId: string): Network => createNetwork({ outbound, allowed, lookUp }, projectId);
  const connections = createConnections({ pool, box });
  const ledger = createLedger({ pool, box });
  const suppressions = createSuppressions({ pool, box, kek });
  const newId = createUuidV7({ now: Date.now });
  const mailer = createMailer({
    connections,
    ledger,
    suppressions,
    networkOf,
    newId,
    perHourMax: mailsPerHour,
    mailbox,
  });
  return { mailer, connections, ledger, suppressions, networkOf };
}
