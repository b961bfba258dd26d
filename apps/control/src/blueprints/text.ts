// A blueprint's text as input. In: what a client sent. Out: at most 1 MiB of UTF-8.
import { z } from "zod";

const BYTES_MAX = 1024 * 1024;

export const blueprintText: z.ZodType<string, string> = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= BYTES_MAX, "must be at most 1 MiB")
  // Postgres text can't hold it, and no YAML needs it.
  .refine((text) => !text.includes("\u0000"), "must not hold NUL characters");
