// Why a cell did not do what it was asked. In: its answer, or none. Out: an error that says whether asking again may help.
import { z } from "zod";

/** The cell can't be reached, took too long, or failed by itself; asking again may help. */
export class CellUnavailable extends Error {
  constructor(cause?: unknown) {
    super("The cell did not answer.", { cause });
    this.name = "CellUnavailable";
  }
}

/** The cell refused: asking the same again won't help. */
export class CellRefused extends Error {
  readonly status: number;
  /** The problem's code and its public text. */
  readonly code: string;
  readonly detail: string;

  constructor(status: number, code: string, detail: string) {
    super(`The cell refused: ${status} ${code}`);
    this.name = "CellRefused";
    this.status = status;
    this.code = code;
    this.detail = detail;
  }
}

const problemSchema = z.object({
  code: z.string(),
  title: z.string().optional(),
  detail: z.string().nullish(),
  errors: z.array(z.object({ message: z.string() })).catch([]),
});

/** Of an answer that says no; its body says why. */
export function refusal(status: number, text: string): CellRefused {
  let problem: z.infer<typeof problemSchema> | null = null;
  try {
    problem = problemSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    // Not ours to explain: whatever stands before the cell answered in its own words.
  }
  const { code = "unknown", detail, errors = [], title = "No reason was given." } = problem ?? {};
  // A title names the kind alone; where there is no detail, what it is about stands in the errors.
  const named = errors.length === 0 ? null : errors.map(({ message }) => message).join(" ");
  return new CellRefused(status, code, detail ?? named ?? title);
}
