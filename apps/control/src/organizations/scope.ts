// The input of a membership or an invitation. In: a role and a scope from a client. Out: both, with a checked form. The foreign
// keys of the database decide whether the named projects belong to the organization.
import { z } from "zod";
import { id } from "../trpc.ts";
import type { MemberRole, MemberScope } from "./api.ts";
import { memberRoles } from "./rights.ts";

const PROJECTS_MAX = 200;

export const memberRole: z.ZodType<MemberRole, MemberRole> = z.enum(memberRoles);

export const memberScope: z.ZodType<MemberScope, MemberScope> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("organization") }),
  z.object({
    kind: z.literal("projects"),
    projectIds: z.array(id("prj")).min(1, "must name a project").max(PROJECTS_MAX).readonly(),
  }),
]);
