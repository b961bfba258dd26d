// The failure of a command. Out: an exit code and a message. Any other error is a bug.

/** 1: a problem of the author or the machine. 2: wrong usage. */
export type ExitCode = 0 | 1 | 2;

/** The message is complete, so no stack is printed. */
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
