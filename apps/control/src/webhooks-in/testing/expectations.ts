// Expectations for the test of all procedures, about inbound webhooks.
import { type Expected, NOWHERE } from "../../testing/expected.ts";

export const inboundExpectations: Record<string, Expected> = {
  "inbound.sources": { who: "member", call: (c, t) => c.inbound.sources.query({ projectId: t.projectId }) },
  "inbound.addSecret": {
    who: "admin",
    allowed: "NOT_FOUND",
    call: (c, t) =>
      c.inbound.addSecret.mutate({ projectId: t.projectId, source: "none", secret: "a secret of nothing" }),
  },
  "inbound.removeSecret": {
    who: "admin",
    allowed: "NOT_FOUND",
    call: (c, t) => c.inbound.removeSecret.mutate({ projectId: t.projectId, secretId: NOWHERE }),
  },
  "inbound.requests": { who: "member", call: (c, t) => c.inbound.requests.query({ projectId: t.projectId }) },
  "inbound.request": {
    who: "developer",
    allowed: "NOT_FOUND",
    silent: true,
    call: (c, t) => c.inbound.request.query({ projectId: t.projectId, requestId: NOWHERE }),
  },
  "inbound.replay": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.inbound.replay.mutate({ projectId: t.projectId, requestId: NOWHERE }),
  },
  "inbound.replayUnmapped": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.inbound.replayUnmapped.mutate({ projectId: t.projectId, source: "none" }),
  },
};
