// Inbound webhooks for a project's own server, as a separate entry point that no browser downloads. In: a secret key.
// Out: sources, their secrets, and received requests. It never returns a secret.
import type { Page } from "./entity.ts";
import { type Call, createTransport } from "./transport.ts";
import { type CallOptions, endOf } from "./writing.ts";

export interface InboundOptions {
  /** The project's name. */
  readonly project: string;
  /** A secret key with the role `admin`. */
  readonly apiKey: string;
  /** The address of the API. */
  readonly baseUrl: string;
  /** Replaces the platform's own `fetch`. */
  readonly fetch?: typeof fetch;
  /** For one attempt of one call; the default is 30,000 ms. */
  readonly timeoutMs?: number;
}

export interface InboundSource {
  readonly name: string;
  /** Where the provider sends its requests. */
  readonly url: string;
  /** The provider's name, or `custom`. */
  readonly verify: string;
  /** The provider's event type > the event that such a request becomes. */
  readonly events: Readonly<Record<string, string>>;
  /** Whether it has a secret. Without one, every request is refused. */
  readonly enabled: boolean;
  readonly secrets: readonly {
    readonly id: string;
    readonly created_at: string;
    /** When it expires; null: it stays valid until it is removed. */
    readonly expires_at: string | null;
  }[];
  readonly last_received_at: string | null;
  readonly last_refused_at: string | null;
  readonly last_refusal: string | null;
}

export interface InboundRequest {
  readonly id: string;
  readonly source: string;
  readonly received_at: string;
  readonly status: "accepted" | "unmapped" | "refused";
  /** Why the request was refused, or why it became no event. */
  readonly reason: string | null;
  /** The provider's event type. */
  readonly type: string | null;
  readonly event: string | null;
  /** How often the same request came again. */
  readonly repeats: number;
  readonly replayed_at: string | null;
}

export interface WholeInboundRequest extends InboundRequest {
  /** Without signatures and credentials; null for a refused request. */
  readonly headers: Readonly<Record<string, unknown>> | null;
  /** As JSON text; null if it is neither JSON nor a form. */
  readonly body: string | null;
  readonly body_base64: string | null;
}

export interface InboundFilters {
  readonly source?: string;
  readonly status?: InboundRequest["status"];
  /** 1 to 100, default 20. */
  readonly limit?: number;
  /** From the previous page. */
  readonly cursor?: string;
}

export interface Inbound {
  readonly sources: (options?: CallOptions) => Promise<readonly InboundSource[]>;
  /**
   * @param overlapHours How long the source's other secrets stay valid: 0 to 168. Without it, they stay valid without a
   * limit.
   * @throws NotFound if there is no such source, Conflict if it has five secrets, ValidationFailed if the secret is not
   * valid.
   */
  readonly addSecret: (
    source: string,
    secret: string,
    overlapHours?: number,
    options?: CallOptions,
  ) => Promise<{ readonly id: string }>;
  /** @throws NotFound */
  readonly removeSecret: (id: string, options?: CallOptions) => Promise<void>;
  /** The newest first. */
  readonly requests: (
    filters?: InboundFilters & CallOptions,
  ) => Promise<Pick<Page<InboundRequest>, "data" | "nextCursor" | "hasMore">>;
  /** With the content that the provider sent. @throws NotFound */
  readonly request: (id: string, options?: CallOptions) => Promise<WholeInboundRequest>;
  /** Emits its event again, as the live version maps it. @throws NotFound, Conflict if it becomes no event. */
  readonly replay: (id: string, options?: CallOptions) => Promise<{ readonly event: string }>;
  /**
   * Emits events for requests that became none before, but do in the live version: at most 500, `has_more` if there may
   * be others.
   * @param since RFC 3339. @throws NotFound if there is no such source.
   */
  readonly replayUnmapped: (
    source: string,
    since?: string,
    options?: CallOptions,
  ) => Promise<{ readonly requests: number; readonly has_more: boolean }>;
}

export function createInbound({ project, apiKey, baseUrl, fetch: own, timeoutMs = 30_000 }: InboundOptions): Inbound {
  const transport = createTransport({
    baseUrl: baseUrl.replace(/\/+$/, ""),
    fetch: own ?? ((input, init) => fetch(input, init)),
    headers: { authorization: `Bearer ${apiKey}`, "plinth-project": project },
    timeoutMs,
  });
  // The result has the shape that the API describes for these addresses.
  const data = async <Reply>(call: Call, options: CallOptions | undefined): Promise<Reply> =>
    ((await transport({ ...call, ...endOf(options) })) as { readonly data: Reply }).data;
  const get = <Reply>(path: string, options: CallOptions | undefined): Promise<Reply> =>
    data({ method: "GET", path: `/v1/webhooks/${path}` }, options);
  const post = <Reply>(path: string, body: object, options: CallOptions | undefined): Promise<Reply> =>
    data({ method: "POST", path: `/v1/webhooks/${path}`, body }, options);
  return {
    sources: (options) => get("sources", options),
    addSecret: (source, secret, overlapHours, options) =>
      post("secrets", { source, secret, overlap_hours: overlapHours }, options),
    removeSecret: async (id, options) => void (await post(`secrets/${encodeURIComponent(id)}/remove`, {}, options)),
    requests: async ({ signal, ...filters } = {}) => {
      const given = Object.entries(filters).filter(([, value]) => value !== undefined);
      const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
      const call: Call = { method: "GET", path: "/v1/webhooks/requests", query, ...(signal && { signal }) };
      const reply = (await transport(call)) as {
        readonly data: readonly InboundRequest[];
        readonly page: { readonly next_cursor: string | null; readonly has_more: boolean };
      };
      return { data: reply.data, nextCursor: reply.page.next_cursor, hasMore: reply.page.has_more };
    },
    request: (id, options) => get(`requests/${encodeURIComponent(id)}`, options),
    replay: (id, options) => post(`requests/${encodeURIComponent(id)}/replay`, {}, options),
    replayUnmapped: (source, since, options) => post("requests/replay", { source, since }, options),
  };
}
