// What a client sees of a project's webhooks: where events are sent, what came of it, and what an owner may do about them. Types alone.
import type { Mutation, Query } from "../procedure.ts";
import type { WorkPage } from "../work/api.ts";

export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly description: string;
  readonly enabled: boolean;
  readonly payload: "full" | "thin";
  /** Of payloads. */
  readonly version: number;
  readonly role: string;
  readonly userId: string | null;
  readonly organizationId: string | null;
  readonly signing: "hmac" | "ed25519";
  /** `whpk_`, of one that signs by Ed25519. */
  readonly publicKey: string | null;
  readonly disabledReason: string | null;
  /** In a row. */
  readonly failures: number;
  readonly failingSince: string | null;
  readonly pausedUntil: string | null;
  /** Until when a listener is sent events; null where its address is called. */
  readonly listensUntil: string | null;
  readonly lastSuccessAt: string | null;
  readonly lastFailureAt: string | null;
  readonly createdAt: string;
}

/** `secret`: shown this once; null where receivers verify with the public key. */
export type NewWebhookEndpoint = WebhookEndpoint & { readonly secret: string | null };

export type DeliveryStatus = "pending" | "delivered" | "failed" | "revoked";

export interface WebhookDelivery {
  readonly id: string;
  readonly endpointId: string;
  /** Null of a test. */
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
  /** Null where it was cut off. */
  readonly endedAt: string | null;
  readonly status: number | null;
  readonly error: string | null;
  /** Its beginning. */
  readonly responseBody: string | null;
}

export type WholeWebhookDelivery = WebhookDelivery & {
  /** What was sent, with what is masked in logs masked. */
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

/** What came of a pulled delivery: what the receiver answered, or why it did not. */
export interface ForwardOutcome {
  id: string;
  attempt: number;
  status?: number | undefined;
  /** Its beginning. */
  body?: string | undefined;
  error?: "unreachable" | "no_answer" | undefined;
}

interface Named {
  projectId: string;
  endpointId: string;
}

export type EndpointState = "enabled" | "failing" | "disabled";

export interface EndpointFilters {
  /** What its address contains. */
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
  /** Null where the live version has no module `webhooks`. */
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
      /** Its deliveries are pulled, and nothing calls its address. */
      listener?: boolean | undefined;
    },
    NewWebhookEndpoint
  >;
  setEnabled: Mutation<Named & { enabled: boolean }, WebhookEndpoint>;
  remove: Mutation<Named, null>;
  /** The last secret signs beside the new one for a day. */
  rotate: Mutation<Named, NewWebhookEndpoint>;
  /** Sends the event `webhook.test`. */
  test: Mutation<Named, { readonly id: string }>;
  /** What is due for a listener, once it is told what came of the last. */
  pull: Mutation<Named & { outcomes: ForwardOutcome[] }, readonly PulledDelivery[]>;
  /** Sends again what has failed since a time. */
  replayFailed: Mutation<Named & { since: string }, { readonly deliveries: number }>;
  /** Null where the live version has no module `webhooks`. */
  deliveries: Query<
    Paged & { endpointId?: string | undefined; status?: DeliveryStatus | undefined },
    WorkPage<WebhookDelivery> | null
  >;
  delivery: Query<{ projectId: string; deliveryId: string }, WholeWebhookDelivery>;
  /** Under the same id. */
  replay: Mutation<{ projectId: string; deliveryId: string }, { readonly id: string }>;
};
