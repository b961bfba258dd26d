// A project's webhooks, requested from its cell on behalf of a person. In: filters, or an action on an endpoint or a delivery.
// Out: the cell's answers. It never touches a tenant's database and stores no secret.
import { z } from "zod";
import { actorOf, orNull, queryOf, refusals } from "../cells/call-as-person.ts";
import { callCell } from "../cells/call-cell.ts";
import type { Cells } from "../cells/client.ts";
import { writeAudit } from "../database/audit.ts";
import type { ControlDatabase } from "../database/tables.ts";
import { notFound } from "../failure.ts";
import type { ProjectAccess } from "../organizations/access.ts";
import type { Person } from "../people/auth.ts";
import type { WorkPage } from "../work/api.ts";
import {
  deliveryPageSchema,
  deliverySchema,
  endpointPageSchema,
  endpointSchema,
  newEndpointSchema,
  pulledSchema,
  queuedSchema,
  replayedSchema,
} from "./answers.ts";
import type {
  EndpointFilters,
  ForwardOutcome,
  NewWebhookEndpoint,
  PulledDelivery,
  WebhookDelivery,
  WebhookEndpoint,
  WholeWebhookDelivery,
} from "./api.ts";

interface PageRequest {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

interface DeliveriesRequest extends PageRequest {
  readonly endpointId?: string | undefined;
  readonly status?: string | undefined;
}

interface Created {
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | undefined;
  readonly payload?: "full" | "thin" | undefined;
  readonly signing?: "hmac" | "ed25519" | undefined;
  readonly listener?: boolean | undefined;
}

/** Absent settings stay. */
interface Changed {
  readonly url?: string | undefined;
  readonly events?: readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly payload?: "full" | "thin" | undefined;
}

export interface WebhookService {
  endpoints(
    by: Person,
    project: ProjectAccess,
    request: PageRequest & EndpointFilters,
  ): Promise<WorkPage<WebhookEndpoint> | null>;
  endpoint(by: Person, project: ProjectAccess, id: string): Promise<WebhookEndpoint>;
  create(by: Person, project: ProjectAccess, sent: Created): Promise<NewWebhookEndpoint>;
  update(by: Person, project: ProjectAccess, id: string, changed: Changed): Promise<WebhookEndpoint>;
  setEnabled(by: Person, project: ProjectAccess, id: string, enabled: boolean): Promise<WebhookEndpoint>;
  remove(by: Person, project: ProjectAccess, id: string): Promise<null>;
  rotate(by: Person, project: ProjectAccess, id: string): Promise<NewWebhookEndpoint>;
  test(by: Person, project: ProjectAccess, id: string): Promise<{ readonly id: string }>;
  pull(
    by: Person,
    project: ProjectAccess,
    id: string,
    outcomes: readonly ForwardOutcome[],
  ): Promise<readonly PulledDelivery[]>;
  replayFailed(by: Person, project: ProjectAccess, id: string, since: string): Promise<{ readonly deliveries: number }>;
  deliveries(by: Person, project: ProjectAccess, request: DeliveriesRequest): Promise<WorkPage<WebhookDelivery> | null>;
  delivery(by: Person, project: ProjectAccess, id: string): Promise<WholeWebhookDelivery>;
  replay(by: Person, project: ProjectAccess, id: string): Promise<{ readonly id: string }>;
}

const nothing = z.null();

interface Act<T> {
  /** The id of the subject, or the address of a new endpoint. */
  readonly subject: string;
  readonly action:
    | `webhook_endpoint.${"created" | "changed" | "enabled" | "disabled" | "deleted" | "rotated" | "tested" | "replayed"}`
    | "webhook_delivery.replayed";
  readonly method?: "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: object;
  readonly answer: z.ZodType<T>;
}

export function createWebhookService({
  cells,
  db,
}: {
  readonly cells: Cells;
  readonly db: ControlDatabase;
}): WebhookService {
  const look = <T>(by: Person, project: ProjectAccess, path: string, answer: z.ZodType<T>): Promise<T> =>
    cells.look(project, actorOf(by, project), path, answer);
  const act = async <T>(by: Person, project: ProjectAccess, one: Act<T>): Promise<T> => {
    const { subject, action, method = "POST", path, body = {}, answer } = one;
    // Recorded before the call, so that no action is missing in the log. An entry may belong to an action that was refused.
    await writeAudit(db, { personId: by.id, projectId: project.id, subject, action, detail: {} });
    const done = cells.act(project, actorOf(by, project), path, body, answer, method);
    return callCell(done, { ...refusals, 404: () => notFound("webhook") });
  };
  const of = (id: string, rest = ""): string => `/v1/webhook-endpoints/${id}${rest}`;
  return {
    endpoints: (by, project, { cursor, limit, url, state, userId, organizationId }) => {
      const query = queryOf({ cursor, limit, url, state, user_id: userId, organization_id: organizationId });
      return orNull(look(by, project, `/v1/webhook-endpoints?${query}`, endpointPageSchema));
    },
    endpoint: (by, project, id) =>
      callCell(look(by, project, of(id), endpointSchema), { ...refusals, 404: () => notFound("webhook") }),
    create: (by, project, sent) =>
      act(by, project, {
        subject: sent.url,
        action: "webhook_endpoint.created",
        path: "/v1/webhook-endpoints",
        body: sent,
        answer: newEndpointSchema,
      }),
    update: (by, project, id, changed) =>
      act(by, project, {
        subject: id,
        action: "webhook_endpoint.changed",
        method: "PATCH",
        path: of(id),
        body: changed,
        answer: endpointSchema,
      }),
    setEnabled: (by, project, id, enabled) =>
      act(by, project, {
        subject: id,
        action: enabled ? "webhook_endpoint.enabled" : "webhook_endpoint.disabled",
        method: "PATCH",
        path: of(id),
        body: { enabled },
        answer: endpointSchema,
      }),
    remove: (by, project, id) =>
      act(by, project, {
        subject: id,
        action: "webhook_endpoint.deleted",
        method: "DELETE",
        path: of(id),
        answer: nothing,
      }),
    rotate: (by, project, id) =>
      act(by, project, {
        subject: id,
        action: "webhook_endpoint.rotated",
        path: of(id, "/rotate-secret"),
        answer: newEndpointSchema,
      }),
    test: (by, project, id) =>
      act(by, project, {
        subject: id,
        action: "webhook_endpoint.tested",
        path: of(id, "/test"),
        answer: queuedSchema,
      }),
    // A listener pulls several times a second. The log has it once, as the creation of the endpoint.
    pull: (by, project, id, outcomes) =>
      callCell(cells.act(project, actorOf(by, project), of(id, "/pull"), { outcomes }, pulledSchema), {
        ...refusals,
        404: () => notFound("listener"),
      }),
    replayFailed: (by, project, id, since) =>
      act(by, project, {
        subject: id,
        action: "webhook_endpoint.replayed",
        path: of(id, "/replay"),
        body: { since },
        answer: replayedSchema,
      }),
    deliveries: (by, project, { cursor, limit, endpointId, status }) => {
      const query = queryOf({ cursor, limit, status, endpoint_id: endpointId });
      return orNull(look(by, project, `/v1/webhook-deliveries?${query}`, deliveryPageSchema));
    },
    delivery: (by, project, id) =>
      callCell(look(by, project, `/v1/webhook-deliveries/${id}`, deliverySchema), {
        ...refusals,
        404: () => notFound("delivery"),
      }),
    replay: (by, project, id) =>
      act(by, project, {
        subject: id,
        action: "webhook_delivery.replayed",
        path: `/v1/webhook-deliveries/${id}/replay`,
        answer: queuedSchema,
      }),
  };
}
