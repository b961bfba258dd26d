// For the walk over all procedures: who gets past the authorization of those about webhooks.
import { type Expected, NOWHERE } from "../../testing/expected.ts";

const ofEndpoint = (act: "remove" | "rotate" | "test"): Expected => ({
  who: "owner",
  owner: "NOT_FOUND",
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
    who: "owner",
    owner: "NOT_FOUND",
    call: (c, t) => c.webhooks.create.mutate({ projectId: t.projectId, url: "https://a.example", events: ["*"] }),
  },
  "webhooks.setEnabled": {
    who: "owner",
    owner: "NOT_FOUND",
    call: (c, t) => c.webhooks.setEnabled.mutate({ projectId: t.projectId, endpointId: NOWHERE, enabled: true }),
  },
  "webhooks.remove": ofEndpoint("remove"),
  "webhooks.rotate": ofEndpoint("rotate"),
  "webhooks.test": ofEndpoint("test"),
  "webhooks.pull": {
    who: "owner",
    owner: "NOT_FOUND",
    silent: true,
    call: (c, t) => c.webhooks.pull.mutate({ projectId: t.projectId, endpointId: NOWHERE, outcomes: [] }),
  },
  "webhooks.replayFailed": {
    who: "owner",
    owner: "NOT_FOUND",
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
    who: "owner",
    owner: "NOT_FOUND",
    call: (c, t) => c.webhooks.replay.mutate({ projectId: t.projectId, deliveryId: NOWHERE }),
  },
};
