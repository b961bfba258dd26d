// The reasons why a cell didn't answer a call. In: its response, or none. Out: an error that shows whether a retry can help.
import { z } from "zod";
import type { FieldError } from "../failure.ts";

/** The cell can't be reached, took too long, or failed. A retry can help. */
export class CellUnavailable extends Error {
  constructor(cause?: unknown) {
    super("The cell did not answer.", { cause });
    this.name = "CellUnavailable";
  }
}

/** The cell refused. The same call would be refused again. */
export class CellRefused extends Error {
  readonly status: number;
  /** The problem's code and its public text. */
  readonly code: string;
  readonly detail: string;
  /** The invalid fields of the body, with reasons. */
  readonly errors: readonly FieldError[];

  constructor(status: number, code: string, detail: string, errors: readonly FieldError[] = []) {
    super(`The cell refused: ${status} ${code}`);
    this.name = "CellRefused";
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.errors = errors;
  }
}

const problemSchema = z.object({
  code: z.string(),
  title: z.string().optional(),
  detail: z.string().nullish(),
  errors: z.array(z.object({ path: z.string().catch(""), message: z.string() })).catch([]),
});

/** The error for a response that refuses. Its body has the reason. */
export function refusal(status: number, text: string): CellRefused {
  let problem: z.infer<typeof problemSchema> | null = null;
  try {
    problem = problemSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // This is not a response of the cell: a proxy before it answered.
  }
  const { code = "unknown", detail, errors = [], title = "No reason was given." } = problem ?? {};
  // A title only names the kind. If there is no detail, the errors name the subject.
  const named = errors.length === 0 ? null : errors.map(({ message }) => message).join(" ");
  return new CellRefused(status, code, detail ?? named ?? title, errors);
}
