// Compiles outbound webhooks. In: the checked declaration of `webhooks.out`. Out: the form for the runtime, without
// anything that isn't declared.
import type { BackgroundPart } from "@plinth/blueprint";
import type { BundleOutbound } from "@plinth/bundle";

interface Declared {
  readonly enabled?: boolean;
  readonly events?: readonly string[];
  readonly payload?: "full" | "thin";
  readonly signing?: "v1" | "v1a";
  readonly retry?: {
    readonly attempts?: number;
    readonly backoff?: "constant" | "linear" | "exponential";
    readonly delay?: number;
    readonly max_delay?: number;
  };
  readonly concurrency?: number;
  readonly disable_after?: number;
  readonly retention?: number;
  readonly version?: number;
  readonly versions?: NonNullable<BundleOutbound["versions"]>;
}

const DELAY_MS = 5_000;
const DELAY_MS_MAX = 10 * 3_600_000;

export function outboundOf({ declaration }: BackgroundPart): BundleOutbound {
  const {
    enabled,
    events,
    payload,
    signing,
    retry = {},
    concurrency,
    disable_after,
    retention,
    version,
    versions,
  } = declaration as Declared;
  const { attempts, backoff, delay, max_delay: most } = retry;
  const hasPauses = backoff !== undefined || delay !== undefined || most !== undefined;
  const sent = enabled === false ? [] : events;
  return {
    ...(sent === undefined ? {} : { events: sent }),
    ...(payload === undefined ? {} : { payload }),
    ...(signing === undefined ? {} : { signing: signing === "v1a" ? "ed25519" : "hmac" }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(hasPauses
      ? {
          pauses: {
            backoff: backoff ?? "exponential",
            delayMs: delay ?? DELAY_MS,
            delayMsMax: Math.max(most ?? DELAY_MS_MAX, delay ?? 0),
          },
        }
      : {}),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(disable_after === undefined ? {} : { disableAfterMs: disable_after }),
    ...(version === undefined ? {} : { version }),
    ...(versions === undefined ? {} : { versions }),
    ...(retention === undefined ? {} : { retentionDays: retention }),
  };
}
