// The handlers of all module routes. In: the parts of a cell that they need. Out: a handler for each operation that a
// bundle can name. The bundle says which routes a project has.

import { type ActionRoutesOptions, actionHandlers } from "./actions/routes.ts";
import { auditLogHandlers } from "./audit-logs/routes.ts";
import { type AuthRoutesOptions, authHandlers } from "./auth/routes.ts";
import { type BatchOptions, batchHandlers } from "./batch/routes.ts";
import { canHandlers } from "./can/routes.ts";
import type { CredentialsOptions } from "./change-credentials.ts";
import { type EmailRoutesOptions, emailHandlers } from "./email/routes.ts";
import type { ModuleHandlers } from "./module-routes.ts";
import type { OrganizationRoutesOptions } from "./organizations/handler.ts";
import { organizationHandlers } from "./organizations/routes.ts";
import { type SelfDescriptionOptions, selfDescriptionHandlers } from "./self-description.ts";
import { type StreamRoutesOptions, streamHandlers } from "./streams/routes.ts";
import { userHandlers } from "./users/routes.ts";
import { type WebhookRoutesOptions, webhookHandlers } from "./webhooks/routes.ts";
import { type WebhooksInOptions, webhooksInHandlers } from "./webhooks-in/routes.ts";
import { type WorkerRoutesOptions, workerHandlers } from "./workers/routes.ts";

export interface ModuleParts {
  readonly users: CredentialsOptions;
  readonly auth: AuthRoutesOptions;
  readonly organizations: OrganizationRoutesOptions;
  readonly webhooks: WebhookRoutesOptions;
  readonly batch: BatchOptions;
  readonly workers: WorkerRoutesOptions;
  readonly actions: ActionRoutesOptions;
  readonly email: EmailRoutesOptions;
  readonly selfDescription: SelfDescriptionOptions;
  readonly streams: StreamRoutesOptions;
  readonly webhooksIn: WebhooksInOptions;
}

export function moduleHandlers(parts: ModuleParts): ModuleHandlers {
  return {
    ...userHandlers(parts.users),
    ...authHandlers(parts.auth),
    ...organizationHandlers(parts.organizations),
    ...canHandlers,
    ...batchHandlers(parts.batch),
    ...auditLogHandlers,
    ...webhookHandlers(parts.webhooks),
    ...workerHandlers(parts.workers),
    ...actionHandlers(parts.actions),
    ...emailHandlers(parts.email),
    ...selfDescriptionHandlers(parts.selfDescription),
    ...streamHandlers(parts.streams),
    ...webhooksInHandlers(parts.webhooksIn),
  };
}
