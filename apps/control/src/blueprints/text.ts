// A blueprint's text as input. In: what a client sent. Out: a text that Postgres can hold. How long it may be, the operator says.
import { z } from "zod";

export const blueprintText: z.ZodType<string, string> = z
  .string()
  // Postgres text can't hold it, and no YAML needs it.
  .refine((text) => !text.includes("\u0000"), "must not hold NUL characters");
