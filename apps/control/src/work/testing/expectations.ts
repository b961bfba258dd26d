// Expectations for the test of all procedures, about background work. Imported by tests only.
import { type Expected, NOWHERE } from "../../testing/expected.ts";

const answer = { step: "ask", since: "2026-01-01T00:00:00.000Z", approved: true };
const NO_QUEUE = { workflow: "none", kind: "worker", until: "2020-01-01T00:00:00Z" } as const;

const ofSecret = (act: "revealSigningSecret" | "rotateSigningSecret"): Expected => ({
  who: "admin",
  allowed: "NOT_FOUND",
  call: (c, t) => c.work[act].mutate({ projectId: t.projectId }),
});

export const workExpectations: Record<string, Expected> = {
  "work.events": { who: "member", call: (c, t) => c.work.events.query({ projectId: t.projectId }) },
  "work.event": {
    who: "member",
    end: "NOT_FOUND",
    call: (c, t) => c.work.event.query({ projectId: t.projectId, eventId: NOWHERE }),
  },
  "work.runs": { who: "member", call: (c, t) => c.work.runs.query({ projectId: t.projectId }) },
  "work.run": {
    who: "member",
    end: "NOT_FOUND",
    call: (c, t) => c.work.run.query({ projectId: t.projectId, runId: NOWHERE }),
  },
  "work.cancel": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.work.cancel.mutate({ projectId: t.projectId, runId: NOWHERE }),
  },
  "work.retry": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.work.retry.mutate({ projectId: t.projectId, runId: NOWHERE }),
  },
  "work.approve": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.work.approve.mutate({ projectId: t.projectId, runId: NOWHERE, ...answer }),
  },
  "work.markDone": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.work.markDone.mutate({ projectId: t.projectId, runId: NOWHERE }),
  },
  "work.markFailed": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.work.markFailed.mutate({ projectId: t.projectId, runId: NOWHERE }),
  },
  "work.audit": { who: "member", call: (c, t) => c.work.audit.query({ projectId: t.projectId }) },
  "work.queues": { who: "member", call: (c, t) => c.work.queues.query({ projectId: t.projectId }) },
  "work.retryAll": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.work.retryAll.mutate({ ...NO_QUEUE, projectId: t.projectId, code: "none" }),
  },
  "work.settleAll": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.work.settleAll.mutate({ ...NO_QUEUE, projectId: t.projectId, calls: "again" }),
  },
  "work.cancelAll": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.work.cancelAll.mutate({ ...NO_QUEUE, projectId: t.projectId }),
  },
  "work.callAction": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.work.callAction.mutate({ projectId: t.projectId, action: "none", input: {} }),
  },
  "work.schedules": { who: "member", call: (c, t) => c.work.schedules.query({ projectId: t.projectId }) },
  "work.runSchedule": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.work.runSchedule.mutate({ projectId: t.projectId, schedule: "none" }),
  },
  "work.pauseSchedule": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.work.pauseSchedule.mutate({ projectId: t.projectId, schedule: "none" }),
  },
  "work.resumeSchedule": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, t) => c.work.resumeSchedule.mutate({ projectId: t.projectId, schedule: "none" }),
  },
  "work.revealSigningSecret": ofSecret("revealSigningSecret"),
  "work.rotateSigningSecret": ofSecret("rotateSigningSecret"),
};
