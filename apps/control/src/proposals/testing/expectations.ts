// Expectations for the test of all procedures, about the proposals of a project.
import type { Expected } from "../../testing/expected.ts";

/** @param text A blueprint of the project. */
export function proposalExpectations(text: string): Record<string, Expected> {
  return {
    "proposals.preview": {
      who: "developer",
      silent: true,
      call: (c, { projectId }) => c.proposals.preview.mutate({ projectId, text }),
    },
    "proposals.list": { who: "member", call: (c, { projectId }) => c.proposals.list.query({ projectId }) },
    "proposals.timeline": { who: "member", call: (c, { projectId }) => c.proposals.timeline.query({ projectId }) },
  };
}
