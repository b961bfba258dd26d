// The words for records in the document. In: an entity. Out: words such as `an order line` and `order lines`.
import type { DocumentedEntity } from "./documented-entity.ts";

type Names = Pick<DocumentedEntity, "name" | "plural">;

/** `order line` */
export function singular({ name }: Names): string {
  return name.replaceAll("_", " ");
}

/** `an order line` */
export function one(entity: Names): string {
  return withArticle(singular(entity));
}

export function many({ plural }: Names): string {
  return plural.replaceAll("_", " ");
}

/** By the sound at the start of the word, as far as its letters show it: `a user`, `an hour`. */
export function withArticle(words: string): string {
  const isVowel = /^(?:[aeio]|u(?!ni|se|sa|ti)|hour|hono|heir)/.test(words) && !/^(?:eu|one\b)/.test(words);
  return `${isVowel ? "an" : "a"} ${words}`;
}
