// For tests: the settings of mode `web`, on free ports of this machine. Only tests import it.
import { defaultLimitsMax } from "@plinth/bundle";
import type { RuntimeConfig } from "../../config.ts";
import { defaultInboundLimits } from "../../modules/webhooks-in/receive.ts";
import { defaultCallLimits } from "../../outbound/call-slots.ts";
import { defaultWebhookLimits } from "../../webhooks/rules.ts";
import { cellId, cellSecret, kek, trust } from "./cell.ts";

/** @param url The cell's database. */
export const webConfigOf = (url: string): RuntimeConfig => ({
  databaseUrl: url,
  apiHost: "127.0.0.1",
  rateLimit: { perSecond: 100, burst: 200 },
  apiPort: 0,
  internalHost: "127.0.0.1",
  internalPort: 0,
  cellId,
  controlKeys: trust.controlKeys,
  cellSecret,
  limitsMax: defaultLimitsMax,
  kek,
  publicUrl: "http://127.0.0.1:4000",
  hooksUrl: "http://127.0.0.1:4000",
  inboundLimits: defaultInboundLimits,
  webhookLimits: defaultWebhookLimits,
  cacheBytesMax: 128 * 1024 * 1024,
  preparedMax: 100,
  slowMsPerSecond: 500,
  apiDomain: "example.test",
  parentPid: undefined,
  projectRateLimit: { perSecond: 10_000, burst: 20_000 },
  socketsPerAddress: 512,
  isTrustedProxy: () => false,
  webhookPort: 0,
  webhookHost: "127.0.0.1",
  healthPort: 0,
  healthHost: "127.0.0.1",
  outboundAllowed: () => false,
  outboundPorts: new Set([443]),
  mailsPerHour: 1_000,
  streamLimits: { perProject: 5_000, perCaller: 100 },
  mailbox: false,
  callMsMax: 60_000,
  workLimits: { openRunsMax: 1_000, openWaitsMax: 1_000 },
  workPlaces: 4,
  callLimits: defaultCallLimits,
  workRetentionDays: 30,
  workRowsMax: 1_000,
  logLevel: "silent",
});
