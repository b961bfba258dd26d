// Procedures about blueprints. In: checked input. Out: the answers of the service.
import { z } from "zod";
import { forPerson, forProject, forVersion } from "../trpc.ts";
import type { BlueprintProcedures } from "./api.ts";
import { blueprintText } from "./text.ts";

const textInput = z.object({ text: blueprintText });

export const blueprintProcedures: BlueprintProcedures = {
  templates: forPerson("programs").query(({ ctx }) => ctx.services.blueprints.templates()),
  validate: forPerson("programs")
    .input(textInput)
    .mutation(({ ctx, input }) => ctx.services.blueprints.validate(ctx.person, input.text)),
  format: forPerson("programs")
    .input(textInput)
    .mutation(({ ctx, input }) => ctx.services.blueprints.format(ctx.person, input.text)),
  list: forProject("read", "programs").query(({ ctx }) => ctx.services.blueprints.list(ctx.project)),
  get: forVersion("read", "programs").query(({ ctx, input }) => ctx.services.blueprints.get(input.versionId)),
  current: forProject("read", "programs").query(({ ctx }) => ctx.services.blueprints.current(ctx.project)),
};
