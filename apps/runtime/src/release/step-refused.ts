// A problem of the release itself, as an answer to its author instead of a fault. In: a public reason. It is never
// thrown for problems that another attempt, or another process, could solve.

export class StepRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "StepRefused";
  }
}
