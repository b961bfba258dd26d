// The results of completion. Only types.

export interface Suggestion {
  readonly label: string;
  /** The text to insert in place of `from` to `to`. */
  readonly insert: string;
  /** The part of `insert` that the author writes next; without it, the cursor goes to the end. */
  readonly select?: { readonly from: number; readonly to: number } | undefined;
  readonly kind: "key" | "type" | "modifier" | "value" | "name" | "function" | "operator" | "role" | "entity" | "field";
  /** A few words next to the label. */
  readonly detail: string;
  /** Markdown. */
  readonly help: string;
}

export interface Completion {
  /** The offsets of the text that a suggestion replaces. */
  readonly from: number;
  readonly to: number;
  /** The most useful ones first. */
  readonly suggestions: readonly Suggestion[];
}
