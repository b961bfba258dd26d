// Expectations for the test of all procedures, about imports and exports. Imported by tests only.
import type { Expected } from "../../testing/expected.ts";

const SOURCE = "0".repeat(64);
const EXPORT = `exp_${"0".repeat(20)}`;

export const transferExpectations: Record<string, Expected> = {
  "transfers.shape": {
    who: "admin",
    silent: true,
    call: (c, t) => c.transfers.shape.query({ projectId: t.projectId }),
  },
  "transfers.openImport": {
    who: "admin",
    call: (c, t) =>
      c.transfers.openImport.mutate({ projectId: t.projectId, source: SOURCE, label: "postgres://db/shop" }),
  },
  "transfers.findImport": {
    who: "admin",
    silent: true,
    call: (c, t) => c.transfers.findImport.query({ projectId: t.projectId, source: SOURCE }),
  },
  "transfers.takeBatch": {
    who: "admin",
    silent: true,
    call: (c, t) =>
      c.transfers.takeBatch.mutate({
        projectId: t.projectId,
        batch: {
          source: SOURCE,
          step: { name: "note", kind: "records", entity: "note", fields: ["id"] },
          after: null,
          last: "1",
          count: 1,
          rows: "1\t0\t1\n",
          organization: null,
          dry: true,
          pending: [],
        },
      }),
  },
  "transfers.closeImport": {
    who: "admin",
    call: (c, t) => c.transfers.closeImport.mutate({ projectId: t.projectId, source: null }),
  },
  "transfers.openExport": {
    who: "admin",
    call: (c, t) => c.transfers.openExport.mutate({ projectId: t.projectId }),
  },
  "transfers.exportPage": {
    who: "admin",
    allowed: "NOT_FOUND",
    silent: true,
    call: (c, t) =>
      c.transfers.exportPage.query({ projectId: t.projectId, exportId: EXPORT, part: "note", after: null }),
  },
  "transfers.closeExport": {
    who: "admin",
    silent: true,
    call: (c, t) => c.transfers.closeExport.mutate({ projectId: t.projectId, exportId: EXPORT }),
  },
};
