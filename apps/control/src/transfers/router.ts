// Procedures about imports and exports. In: checked input. Out: the answers of the service.
import { batchBody } from "@plinth/bundle/cell";
import { z } from "zod";
import { forProject, id } from "../trpc.ts";
import type { TransferProcedures } from "./api.ts";

const source = z.string().regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in hex");
const exportId = id("exp");
const place = z.string().max(200).nullable();

export const transferProcedures: TransferProcedures = {
  shape: forProject("manage").query(({ ctx }) => ctx.services.transfers.shape(ctx.person, ctx.project)),
  openImport: forProject("manage")
    .input(z.object({ source, label: z.string().min(1).max(500) }))
    .mutation(({ ctx, input }) => ctx.services.transfers.openImport(ctx.person, ctx.project, input)),
  findImport: forProject("manage")
    .input(z.object({ source }))
    .query(({ ctx, input }) => ctx.services.transfers.findImport(ctx.person, ctx.project, input.source)),
  takeBatch: forProject("manage")
    .input(z.object({ batch: batchBody }))
    .mutation(({ ctx, input }) => ctx.services.transfers.takeBatch(ctx.person, ctx.project, input.batch)),
  closeImport: forProject("manage")
    .input(z.object({ source: source.nullable() }))
    .mutation(({ ctx, input }) => ctx.services.transfers.closeImport(ctx.person, ctx.project, input.source)),
  openExport: forProject("manage").mutation(({ ctx }) => ctx.services.transfers.openExport(ctx.person, ctx.project)),
  exportPage: forProject("manage")
    .input(z.object({ exportId, part: z.string().min(1).max(200), after: place }))
    .query(({ ctx, input }) => ctx.services.transfers.exportPage(ctx.person, ctx.project, input)),
  closeExport: forProject("manage")
    .input(z.object({ exportId }))
    .mutation(({ ctx, input }) => ctx.services.transfers.closeExport(ctx.person, ctx.project, input.exportId)),
};
