// How summaries name a holder of a role or a record of an entity.
import { withArticle } from "@plinth/expression";

/** "a `user`", "an `order`". The role `public` means everybody and has no article. */
export function oneOf(name: string): string {
  return name === "public" ? "`public`" : withArticle(`\`${name}\``);
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
