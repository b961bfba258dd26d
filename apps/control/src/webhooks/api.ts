// A project's webhooks as clients see them: endpoints, deliveries, and the actions of an owner. Types only.
import type { Mutation, Query } from "../procedure.ts";
import type { WorkPage } from "../work/api.ts";

export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
  readonly enabled: boolean;
  readonly payload: "full" | "thin";
  /** The version of payloads. */
  readonly version: number;
  readonly role: string;
  readonly userId: string | null;
  readonly organizationId: string | null;
  readonly signing: "hmac" | "ed25519";
  /** The public key `whpk_`, if the endpoint signs with Ed25519. */
  readonly publicKey: string | null;
  readonly disabledReason: string | null;
  /** Consecutive failures. */
  readonly failures: number;
  readonly failingSince: string | null;
  readonly pausedUntil: string | null;
  /** The time of the first event that waits for it, because the project has too many pending deliveries. */
  readonly behindSince: string | null;
  /** Until when a listener gets events. Null if the endpoint's address is called. */
  readonly listensUntil: string | null;
  readonly lastSuccessAt: string | null;
  readonly lastFailureAt: string | null;
  readonly createdAt: string;
}

/** `secret`: shown only here. Null if receivers verify with the public key. */
export type NewWebhookEndpoint = WebhookEndpoint & { readonly secret: string | null };

export type DeliveryStatus = "pending" | "delivered" | "failed" | "revoked";

export interface WebhookDelivery {
  readonly id: string;
  readonly endpointId: string;
  /** Null for a test. */
  readonly eventId: string | null;
  readonly event: string;
  readonly status: DeliveryStatus;
  readonly error: string | null;
  readonly responseStatus: number | null;
  readonly attempts: number;
  readonly dueAt: string;
  readonly createdAt: string;
  readonly endedAt: string | null;
}

export interface DeliveryAttempt {
  readonly attempt: number;
  readonly startedAt: string;
  /** Null if it was cut off. */
  readonly endedAt: string | null;
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the response. */
  readonly responseBody: string | null;
}

export type WholeWebhookDelivery = WebhookDelivery & {
  /** The sent payload. Values that are masked in logs are masked. */
  readonly body: unknown;
  readonly tries: readonly DeliveryAttempt[];
};

/** To be forwarded with these headers, byte for byte. */
export interface PulledDelivery {
  readonly id: string;
  readonly event: string;
  readonly attempt: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of a pulled delivery: the receiver's response, or the reason why there is none. */
export interface ForwardOutcome {
  id: string;
  attempt: number;
  status?: number | undefined;
  /** The beginning of the response. */
  body?: string | undefined;
  error?: "unreachable" | "no_answer" | undefined;
}

interface Named {
  projectId: string;
  endpointId: string;
}

export type EndpointState = "enabled" | "failing" | "disabled";

export interface EndpointFilters {
  /** Part of its address. */
  readonly url?: string | undefined;
  /** `failing`: enabled, and the last attempt failed. */
  readonly state?: EndpointState | undefined;
  readonly userId?: string | undefined;
  readonly organizationId?: string | undefined;
}

interface Paged {
  projectId: string;
  cursor?: string | undefined;
  limit?: number | undefined;
}

export type WebhookProcedures = {
  /** Null if the live version has no module `webhooks`. */
  endpoints: Query<Paged & EndpointFilters, WorkPage<WebhookEndpoint> | null>;
  endpoint: Query<Named, WebhookEndpoint>;
  create: Mutation<
    {
      projectId: string;
      url: string;
      events: string[];
      description?: string | undefined;
      payload?: "full" | "thin" | undefined;
      signing?: "hmac" | "ed25519" | undefined;
      /** Its deliveries are pulled; nothing calls its address. */
      listener?: boolean | undefined;
    },
    NewWebhookEndpoint
  >;
  /** Changes what is given. Only `setEnabled` enables or disables it. */
  update: Mutation<
    Named & {
      url?: string | undefined;
      events?: string[] | undefined;
      description?: string | undefined;
      payload?: "full" | "thin" | undefined;
    },
    WebhookEndpoint
  >;
  setEnabled: Mutation<Named & { enabled: boolean }, WebhookEndpoint>;
  remove: Mutation<Named, null>;
  /** The previous secret also signs for another day. */
  rotate: Mutation<Named, NewWebhookEndpoint>;
  /** Sends the event `webhook.test`. */
  test: Mutation<Named, { readonly id: string }>;
  /** Reports the outcomes of the last deliveries, and returns the next ones for a listener. */
  pull: Mutation<Named & { outcomes: ForwardOutcome[] }, readonly PulledDelivery[]>;
  /** Resends the failed deliveries since a time. */
  replayFailed: Mutation<Named & { since: string }, { readonly deliveries: number }>;
  /** Null if the live version has no module `webhooks`. */
  deliveries: Query<
    Paged & { endpointId?: string | undefined; status?: DeliveryStatus | undefined },
    WorkPage<WebhookDelivery> | null
  >;
  delivery: Query<{ projectId: string; deliveryId: string }, WholeWebhookDelivery>;
  /** With the same id. */
  replay: Mutation<{ projectId: string; deliveryId: string }, { readonly id: string }>;
};
