// A project's inbound webhooks as clients see them: sources, received requests, and the actions of an owner. Types only.
import type { Mutation, Query } from "../procedure.ts";
import type { WorkPage } from "../work/api.ts";

export interface InboundSecret {
  readonly id: string;
  readonly createdAt: string;
  /** When it ends. Null: it is valid until it is removed. */
  readonly expiresAt: string | null;
}

export interface InboundSource {
  readonly name: string;
  /** The address for the provider's requests. */
  readonly url: string;
  /** The provider's name. `custom` if the blueprint describes the signatures. */
  readonly verify: string;
  /** The provider's type > the event of such a request. */
  readonly events: Readonly<Record<string, string>>;
  /** Whether it has a secret. Without one, every request is refused. */
  readonly enabled: boolean;
  readonly secrets: readonly InboundSecret[];
  readonly lastReceivedAt: string | null;
  readonly lastRefusedAt: string | null;
  readonly lastRefusal: string | null;
}

export type InboundStatus = "accepted" | "unmapped" | "refused";

export interface InboundRequest {
  readonly id: string;
  readonly source: string;
  readonly receivedAt: string;
  readonly status: InboundStatus;
  /** The reason why it was refused, or became no event. */
  readonly reason: string | null;
  /** The provider's id. */
  readonly type: string | null;
  readonly event: string | null;
  /** How often it was received again. */
  readonly repeats: number;
  readonly replayedAt: string | null;
}

export type WholeInboundRequest = InboundRequest & {
  /** Without signatures and credentials. Null if nothing was stored. */
  readonly headers: Readonly<Record<string, unknown>> | null;
  /** As JSON text. Null if it is neither JSON nor a form. */
  readonly body: string | null;
  readonly bodyBase64: string | null;
};

export type InboundProcedures = {
  /** Null if the live version has no module `webhooks`. */
  sources: Query<{ projectId: string }, readonly InboundSource[] | null>;
  /** Adds it to the secrets that are in use. With `overlapHours`, those end after this time. */
  addSecret: Mutation<
    { projectId: string; source: string; secret: string; overlapHours?: number | undefined },
    { readonly id: string }
  >;
  removeSecret: Mutation<{ projectId: string; secretId: string }, { readonly id: string }>;
  /** Null if the live version has no module `webhooks`. */
  requests: Query<
    {
      projectId: string;
      source?: string | undefined;
      status?: InboundStatus | undefined;
      cursor?: string | undefined;
      limit?: number | undefined;
    },
    WorkPage<InboundRequest> | null
  >;
  /** With the content that the provider sent, for members who can change the project. */
  request: Query<{ projectId: string; requestId: string }, WholeInboundRequest>;
  /** Creates its event again, as the live version maps it. */
  replay: Mutation<{ projectId: string; requestId: string }, { readonly event: string }>;
  /** Creates events for requests that became none when they arrived, but which the live version maps. At most 500. */
  replayUnmapped: Mutation<
    { projectId: string; source: string; since?: string | undefined },
    { readonly requests: number; readonly hasMore: boolean }
  >;
};
