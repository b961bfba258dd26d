// Test-only. In: the other side of an operation and a source of random numbers. Out: a literal that takes its type from
// it.
import { printExact } from "../exact.ts";
import type { Expression, Type } from "../tree.ts";
import { type Draw, strangeIds, texts } from "./generate-values.ts";

/** A literal that takes its type from the other side; null if there is none. */
export function literalFor({ type }: Expression, draw: Draw): Expression | null {
  const of = (value: string | number | boolean, as: Type = type): Expression => ({ kind: "literal", type: as, value });
  switch (type.kind) {
    case "bool":
      return of(draw.chance(50));
    case "int":
      if (draw.chance(25)) return of(draw.pick(["0.5", "-1.5", "3"]), { kind: "decimal" });
      return of(
        draw.pick<string | number>([0, 1, -1, 2, 3, 100, -2147483648, "9223372036854775808", "-9007199254740993"]),
      );
    case "decimal":
      return of(draw.chance(70) ? draw.pick(["0", "0.5", "-1.5", "2", "99999999.9999", "0.0001"]) : decimalText(draw));
    case "float":
      return of(draw.pick([0, 1, -1.5, 0.1, 1e150, 1e-151, 1.7976931348623157e308, 5e-324]));
    case "text":
      return of(draw.pick(texts));
    case "uuid":
      return of(draw.pick(strangeIds));
    case "enum":
      return of(draw.pick(type.values));
    case "date":
      return of(draw.pick(["0001-01-01", "2024-02-29", "2026-01-31", "9999-12-31"]));
    case "time":
      return of(draw.pick(["00:00:00", "09:30:00", "23:59:59.999999"]));
    case "datetime":
      return of(draw.pick(["1969-12-31T23:59:59.5Z", "2026-01-31T09:30:00.000001Z", "9999-12-31T23:59:59.999999Z"]));
    case "duration":
      return of(draw.pick(["PT0S", "PT1H", "PT24H", "-PT5M", "PT0.000001S"]));
    case "list":
    case "opaque":
    case "null":
      return null;
  }
}

function decimalText(draw: Draw): string {
  return printExact({ digits: BigInt(draw.int(-100_000, 100_000)), scale: draw.int(0, 4) });
}
