// What completion answers with. Types alone.

export interface Suggestion {
  readonly label: string;
  /** What is inserted in the place of `from` to `to`. */
  readonly insert: string;
  readonly kind: "key" | "type" | "modifier" | "value" | "name" | "function" | "role" | "entity" | "field";
  /** A few words beside the label. */
  readonly detail: string;
  /** Markdown. */
  readonly help: string;
}

export interface Completion {
  /** Offsets of what a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  readonly suggestions: readonly Suggestion[];
}
