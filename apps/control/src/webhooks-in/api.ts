// What a client sees of a project's inbound webhooks: the sources, what they were sent, and what an owner may do about them. Types alone.
import type { Mutation, Query } from "../procedure.ts";
import type { WorkPage } from "../work/api.ts";

export interface InboundSecret {
  readonly id: string;
  readonly createdAt: string;
  /** When it stops being live; null: it stays until it is removed. */
  readonly expiresAt: string | null;
}

export interface InboundSource {
  readonly name: string;
  /** Where the provider sends its requests. */
  readonly url: string;
  /** The provider's name; `custom` where the blueprint says how requests are signed. */
  readonly verify: string;
  /** The provider's type > the event that such a request becomes. */
  readonly events: Readonly<Record<string, string>>;
  /** Whether it has a secret. Without one every request is refused. */
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
  /** Why it was refused, or became no event. */
  readonly reason: string | null;
  /** The provider's. */
  readonly type: string | null;
  readonly event: string | null;
  /** How often it came again. */
  readonly repeats: number;
  readonly replayedAt: string | null;
}

export type WholeInboundRequest = InboundRequest & {
  /** Without signatures and credentials; null where nothing was kept. */
  readonly headers: Readonly<Record<string, unknown>> | null;
  /** As JSON text; null where it is neither JSON nor a form. */
  readonly body: string | null;
  readonly bodyBase64: string | null;
};

export type InboundProcedures = {
  /** Null where the live version has no module `webhooks`. */
  sources: Query<{ projectId: string }, readonly InboundSource[] | null>;
  /** Beside those that are live; these end after `overlapHours`, where it is given. */
  addSecret: Mutation<
    { projectId: string; source: string; secret: string; overlapHours?: number | undefined },
    { readonly id: string }
  >;
  removeSecret: Mutation<{ projectId: string; secretId: string }, { readonly id: string }>;
  /** Null where the live version has no module `webhooks`. */
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
  /** With what the provider sent: for those who may change the project. */
  request: Query<{ projectId: string; requestId: string }, WholeInboundRequest>;
  /** Its event again, as the live version maps it. */
  replay: Mutation<{ projectId: string; requestId: string }, { readonly event: string }>;
  /** What became no event when it came, and does as the live version maps it; 500 at most. */
  replayUnmapped: Mutation<
    { projectId: string; source: string; since?: string | undefined },
    { readonly requests: number; readonly hasMore: boolean }
  >;
};
