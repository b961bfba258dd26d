// Expectations for the test of all procedures, about records.
import { type Expected, NOWHERE } from "../../testing/expected.ts";

const record = { entity: "note", recordId: NOWHERE };

export const dataExpectations: Record<string, Expected> = {
  "data.entities": { who: "member", call: (c, { projectId }) => c.data.entities.query({ projectId }) },
  "data.rows": { who: "member", call: (c, { projectId }) => c.data.rows.query({ projectId, entity: "note" }) },
  "data.changes": {
    who: "member",
    end: "NOT_FOUND",
    call: (c, { projectId }) => c.data.changes.query({ projectId, entities: [{ entity: "note" }] }),
  },
  "data.create": {
    who: "developer",
    call: (c, { projectId }) => c.data.create.mutate({ projectId, entity: "note", values: { title: "Walk" } }),
  },
  "data.update": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, { projectId }) => c.data.update.mutate({ projectId, ...record, version: 1, values: { title: "Walked" } }),
  },
  "data.remove": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, { projectId }) => c.data.remove.mutate({ projectId, ...record, version: 1 }),
  },
  "data.restore": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, { projectId }) => c.data.restore.mutate({ projectId, ...record }),
  },
  "data.transition": {
    who: "developer",
    allowed: "NOT_FOUND",
    call: (c, { projectId }) => c.data.transition.mutate({ projectId, ...record, edge: "publish" }),
  },
};
