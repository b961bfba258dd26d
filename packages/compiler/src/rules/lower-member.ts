// Lowers a member of an object. In: SQL of the object, the path, and the member's type. Out: SQL of its value; null if
// it is missing or has another type.
import type { Expression, Type } from "@plinth/expression";
import { quoteText } from "../sql/sql-text.ts";
import { usableFloat } from "./lower-arithmetic.ts";
import { once } from "./lower-once.ts";
import type { LowerScope } from "./lower-scope.ts";

const digits = { int: "^-?[0-9]{1,100}$", decimal: String.raw`^-?[0-9]{1,100}(\.[0-9]{1,100})?$` } as const;

export function lowerMember(object: string, names: readonly Expression[], type: Type, scope: LowerScope): string {
  const way = names.map((one) => quoteText(one.kind === "literal" ? String(one.value) : ""));
  // A list has no members, although Postgres would read a number as an index.
  const member = `(${object}${way.map((name) => ` -> ${name}`).join("")})`;
  switch (type.kind) {
    case "bool":
      return once(scope, [member], (a) => `case when jsonb_typeof(${a}) = 'boolean' then ${a}::boolean end`);
    case "text":
    case "enum":
      return once(scope, [member], (a) => `case when jsonb_typeof(${a}) = 'string' then ${a} #>> '{}' end`);
    case "float": {
      const number = once(scope, [member], (a) => `case when jsonb_typeof(${a}) = 'number' then ${a}::numeric end`);
      return once(scope, [number], (a) => `case when ${usableFloat(a)} then ${a}::double precision end`);
    }
    case "int":
    case "decimal": {
      const text = once(
        scope,
        [member],
        (a) =>
          `case jsonb_typeof(${a}) when 'number' then trim_scale(${a}::numeric)::text when 'string' then ${a} #>> '{}' end`,
      );
      return once(scope, [text], (a) => `case when ${a} ~ ${quoteText(digits[type.kind])} then ${a}::numeric end`);
    }
    default:
      return `nullif(${member}, 'null'::jsonb)`;
  }
}
