// How a command ends without success. Out: an exit code and what to print. Anything else that is thrown is a bug.

/** 1: the author's or the machine's problem; 2: the command was called wrongly. */
export type ExitCode = 0 | 1 | 2;

/** The message says everything; no stack is printed. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = 1, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
