// Procedures about API keys. In: checked input. Out: the answers of the service.
import { z } from "zod";
import { forKey, forProject } from "../trpc.ts";
import type { KeyProcedures } from "./api.ts";

const request = z.object({
  name: z.string().trim().min(1).max(100),
  kind: z.enum(["publishable", "secret"]),
  role: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,62}$/, "must be a role's name")
    .optional(),
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});

export const keyProcedures: KeyProcedures = {
  create: forProject("manage")
    .input(request)
    .mutation(({ ctx, input }) => ctx.services.keys.create(ctx.person, ctx.project, input)),
  list: forProject("read").query(({ ctx }) => ctx.services.keys.list(ctx.project)),
  revoke: forKey("manage").mutation(({ ctx, input }) => ctx.services.keys.revoke(ctx.person, ctx.project, input.keyId)),
};
