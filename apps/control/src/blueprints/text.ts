// The text of a blueprint as input. In: the text from a client. Out: a text that Postgres can store. The operator's limits decide
// its length.
import { z } from "zod";

export const blueprintText: z.ZodType<string, string> = z
  .string()
  // Postgres text can't contain it, and no YAML needs it.
  .refine((text) => !text.includes("\u0000"), "must not contain NUL characters");
