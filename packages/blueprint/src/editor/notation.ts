// Reads what completion needs from a field's notation, which can be half typed. In: the notation. Out: its type, its
// values, its target, its modifiers.
import { type TypeName, typeNames } from "../field-types/type-traits.ts";

export interface Notation {
  readonly type: TypeName | null;
  /** The values of an enum or a set. */
  readonly values: readonly string[];
  /** The entity of a reference. */
  readonly target: string | null;
  readonly optional: boolean;
  readonly modifiers: ReadonlySet<string>;
  /** The members of an object: name > notation. */
  readonly members: ReadonlyMap<string, string>;
}

const brackets: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };

export function readNotation(notation: string): Notation {
  const text = notation.replace(/^\s*["']?/, "");
  const name = /^\w*/.exec(text)?.[0] ?? "";
  const args = argsOf(text.slice(name.length));
  const rest = text.slice(name.length + args.length);
  const inner = args.replace(/^[([{<]/, "").replace(/[)\]}>]$/, "");
  const type = typeNames.find((one) => one === name) ?? null;
  const isEnum = type === "enum" || type === "enum_set";
  const plain = rest.replace(/\([^)]*\)?/g, "").split("=")[0] ?? "";
  return {
    type,
    values: isEnum
      ? inner
          .split(",")
          .map((one) => one.trim())
          .filter((one) => one !== "")
      : [],
    target: type === "ref" || type === "refs" ? inner.trim() : null,
    optional: /^\s*\?/.test(rest),
    modifiers: new Set(plain.match(/[a-z_]+/g) ?? []),
    members:
      type === "object"
        ? new Map(
            [...inner.matchAll(/(\w+)\s*:\s*((?:[^,[({<]|[[({<][^\])}>]*[\])}>])*)/g)].map(([, key = "", of = ""]) => [
              key,
              of.trim(),
            ]),
          )
        : new Map(),
  };
}

/** The arguments with their brackets, up to the end if they are not closed. */
function argsOf(rest: string): string {
  const open: string[] = [];
  for (let at = 0; at < rest.length; at++) {
    const one = rest.charAt(at);
    const closing = brackets[one];
    if (closing !== undefined) open.push(closing);
    else if (one === open.at(-1)) open.pop();
    if (open.length === 0) return at === 0 ? "" : rest.slice(0, at + 1);
  }
  return open.length === 0 ? "" : rest;
}
