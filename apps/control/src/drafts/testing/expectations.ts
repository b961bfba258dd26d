// Expectations for the test of all procedures, about drafts.
import type { Expected } from "../../testing/expected.ts";

/** In this order: each continues with the result of the previous one. */
export const draftExpectations: Record<string, Expected> = {
  "drafts.save": {
    who: "developer",
    call: (c, { projectId }) => c.drafts.save.mutate({ projectId, text: "x", after: null, baseVersionId: null }),
  },
  "drafts.get": { who: "developer", silent: true, call: (c, { projectId }) => c.drafts.get.query({ projectId }) },
  "drafts.discard": {
    who: "developer",
    call: (c, { projectId }) => c.drafts.discard.mutate({ projectId, version: 1 }),
  },
  "drafts.restore": { who: "developer", call: (c, { projectId }) => c.drafts.restore.mutate({ projectId }) },
  "drafts.history": {
    who: "developer",
    silent: true,
    call: (c, { projectId }) => c.drafts.history.query({ projectId }),
  },
  "drafts.earlier": {
    who: "developer",
    allowed: "NOT_FOUND",
    silent: true,
    call: (c, { projectId }) => c.drafts.earlier.query({ projectId, version: 99 }),
  },
};
