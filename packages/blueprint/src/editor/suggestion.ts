// The results of completion. Only types.

export interface Suggestion {
  readonly label: string;
  /** The text to insert in place of `from` to `to`. */
  readonly insert: string;
  readonly kind: "key" | "type" | "modifier" | "value" | "name" | "function" | "role" | "entity" | "field";
  /** A few words next to the label. */
  readonly detail: string;
  /** Markdown. */
  readonly help: string;
}

export interface Completion {
  /** The offsets of the text that a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  readonly suggestions: readonly Suggestion[];
}
