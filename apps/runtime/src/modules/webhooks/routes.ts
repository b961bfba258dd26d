// The handlers of outbound webhooks, by operation.
import type { ModuleContext, Reply } from "../../http/contracts.ts";
import type { ModuleHandlers } from "../module-routes.ts";
import { listDeliveries, listEndpoints, readDelivery, replayDelivery, replayEndpoint } from "./deliveries.ts";
import {
  createEndpoint,
  deleteEndpoint,
  readEndpoint,
  rotateEndpointSecret,
  testEndpoint,
  updateEndpoint,
  type WebhookRoutesOptions,
} from "./endpoints.ts";
import { pullDeliveries } from "./listeners.ts";

export type { WebhookRoutesOptions };

export function webhookHandlers(options: WebhookRoutesOptions): ModuleHandlers {
  const answered =
    (answer: (options: WebhookRoutesOptions, context: ModuleContext) => Promise<Reply>) => (context: ModuleContext) =>
      answer(options, context);
  return {
    "webhooks.list_endpoints": answered(listEndpoints),
    "webhooks.create_endpoint": answered(createEndpoint),
    "webhooks.read_endpoint": answered(readEndpoint),
    "webhooks.update_endpoint": answered(updateEndpoint),
    "webhooks.delete_endpoint": answered(deleteEndpoint),
    "webhooks.rotate_secret": answered(rotateEndpointSecret),
    "webhooks.test_endpoint": answered(testEndpoint),
    "webhooks.replay_endpoint": answered(replayEndpoint),
    "webhooks.pull_deliveries": answered(pullDeliveries),
    "webhooks.list_deliveries": answered(listDeliveries),
    "webhooks.read_delivery": answered(readDelivery),
    "webhooks.replay_delivery": answered(replayDelivery),
  };
}
