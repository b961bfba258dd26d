// Values for generated requests. In: a field of the model, random numbers. Out: values that it accepts, in the form in
// which they are read, and values that it refuses. There are few different ones, so that they often match in rules,
// unique keys and filters.
import type { Field, JsonValue } from "@plinth/blueprint";
import type { Random } from "@plinth/testkit";

const words = ["ant", "bee", "ant eater", "dew", "zebra", "élan", "Ann"] as const;
const days = ["2020-02-29", "2026-11-21", "2031-12-31"] as const;
const moments = ["2020-01-01T00:00:00.000000Z", "2026-11-20T10:00:00.123456Z", "2031-06-01T12:30:00.500000Z"] as const;

/** A value of the type, never null. Not for references and users. */
export function plainValue({ type, name }: Field, random: Random): JsonValue {
  switch (type.kind) {
    case "string":
    case "text":
      return random.pick(words);
    case "slug":
      return random.pick(["ant", "bee-2", "zebra"]);
    case "int":
      return random.pick([0, 1, 2, 3, 5, 8, ...(name === "small" ? [] : [-1, 99, 100, 2147483647])]);
    case "bigint":
      return random.pick(["0", "5", "-7", "9007199254740993"]);
    case "decimal":
    case "money":
      return random.pick(["0.00", "1.25", "2.50", "-3.75", "99999.99"]);
    case "float":
      return random.pick([0, 0.5, 1.5, -2.25, 1e21]);
    case "percent":
      return random.pick([0, 50, 12.5, 100, 99.9999]);
    case "date":
      return random.pick(days);
    case "datetime":
      return random.pick(moments);
    case "duration":
      return random.pick(["PT1H", "PT30M", "P1D", "PT0S"]);
    case "bool":
      return random.chance(0.5);
    case "enum":
      return random.pick(type.values);
    case "enum_set":
      return random.some(type.values, 0.5);
    case "list":
      return random.some(words, 0.3);
    case "json":
      return random.pick<JsonValue>([{ a: 1 }, [1, "x", null], "7", 7, true, ""]);
    case "secret":
      return "hush";
    default:
      throw new Error(`no values for ${type.kind}`);
  }
}

/** Values that the field refuses from every caller. */
export function refusedValue({ type, optional, limits }: Field, random: Random): unknown {
  const wrong: unknown[] = optional ? [] : [null];
  switch (type.kind) {
    case "string":
      wrong.push(
        7,
        ["ant"],
        "a\u0000b",
        ...(limits.max === null ? [] : ["x".repeat(300)]),
        ...(limits.min === null ? [] : [""]),
      );
      break;
    case "text":
    case "slug":
    case "secret":
      wrong.push(7, true, "\ud800");
      break;
    case "int":
      wrong.push("1", 1.5, 2147483648, true, ...(limits.max === null ? [] : [Number(limits.max) + 1]));
      break;
    case "bigint":
      wrong.push(5, "9223372036854775808", "1.0", "abc");
      break;
    case "decimal":
    case "money":
      wrong.push(1.25, "1.234", "1e3", "", "NaN");
      break;
    case "float":
      wrong.push("1.5", true);
      break;
    case "percent":
      wrong.push(101, -1, "50", 0.00001);
      break;
    case "date":
      wrong.push("2023-02-29", "2024-1-1", "today", 5);
      break;
    case "datetime":
      wrong.push("2024-01-01", "2024-13-01T00:00:00Z", 0, "now");
      break;
    case "duration":
      wrong.push("P1Y", "1h", 3600, "P");
      break;
    case "bool":
      wrong.push("true", 1);
      break;
    case "enum":
      wrong.push("drafts", "", 0, ["draft"]);
      break;
    case "enum_set":
      wrong.push(["a", "a"], ["d"], "a");
      break;
    case "list":
      wrong.push("ant", [1], [null]);
      break;
    case "json":
      wrong.push({ a: "\u0000" });
      break;
    case "user_ref":
    case "ref":
    case "org_ref":
      wrong.push("nobody", 7, "");
      break;
    case "refs":
      wrong.push("nobody", [7], ["x"]);
      break;
    default:
      wrong.push({});
  }
  return random.pick(wrong);
}
