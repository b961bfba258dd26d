// Expectations for the test of all procedures, about webhooks.
import { type Expected, type LeastMember, NOWHERE } from "../../testing/expected.ts";

const ofEndpoint = (act: "remove" | "rotate" | "test", who: LeastMember): Expected => ({
  who,
  allowed: "NOT_FOUND",
  call: (c, t) => c.webhooks[act].mutate({ projectId: t.projectId, endpointId: NOWHERE }),
});

export const webhookExpectations: Record<string, Expected> = {
  "webhooks.endpoints": { who: "member", call: (c, t) => c.webhooks.endpoints.query({ projectId: t.projectId }) },
  "webhooks.endpoint": {
    who: "member",
    end: "NOT_FOUND",
    call: (c, t) => c.webhooks.endpoint.query({ projectId: t.projectId, endpointId: NOWHERE }),
  },
  "webhooks.create": {
    who: "admin",
    allowed: "NOT_FOUND",
    call: (c, t) => c.webhooks.create.mutate({ projectId: t.projectId, url: "https://a.example", events: ["*"] }),
  },
  "webhooks.update": {
    who: "admin",
    allowed: "NOT_FOUND",
    call: (c, t) => c.webhooks.update.mutate({ projectId: t.projectId, endpointId: NOWHERE, description: "x" }),
  },
  "webhooks.setEnabled": {
    who: "admin",
    allowed: "NOT_FOUND",
    call: (c, t) => c.webhooks.setEnabled.mutate({ projectId: t.projectId, endpointId: NOWHERE, enabled: true }),
  },
  "webhooks.remove": ofEndpoint("remove", "admin"),
  "webhooks.rotate": ofEndpoint("rotate", "admin"),
  "webhooks.test": ofEndpoint("test", "developer"),
  "webhooks.pull": {
    who: "developer",
    allowed: "NOT_FOUND",
    silent: true,
    call: (c, t) => c.webhooks.pull.mutate({ projectId: t.projectId, endpointId: NOWHERE, outcomes: [] }),
  },
  "webhooks.replayFailed": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) =>
      c.webhooks.replayFailed.mutate({ projectId: t.projectId, endpointId: NOWHERE, since: "2020-01-01T00:00:00Z" }),
  },
  "webhooks.deliveries": { who: "member", call: (c, t) => c.webhooks.deliveries.query({ projectId: t.projectId }) },
  "webhooks.delivery": {
    who: "member",
    end: "NOT_FOUND",
    call: (c, t) => c.webhooks.delivery.query({ projectId: t.projectId, deliveryId: NOWHERE }),
  },
  "webhooks.replay": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.webhooks.replay.mutate({ projectId: t.projectId, deliveryId: NOWHERE }),
  },
};
