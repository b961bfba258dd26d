// What stands against a release itself: an answer to its author rather than a fault. In: a reason in public words.
// It is never thrown for what another try, or another process, could do better.

export class StepRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "StepRefused";
  }
}
