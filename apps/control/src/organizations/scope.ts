// What a membership or an invitation opens, as it comes in. In: a role and a scope from a client. Out: both, checked for form.
// Whether the named projects belong to the organization, the database's foreign keys decide.
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
