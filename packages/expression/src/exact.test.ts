// Exact numbers and times: parsing, printing, and the laws between the two.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addExact,
  compareExact,
  divideExact,
  type Exact,
  floatOf,
  multiplyExact,
  parseExact,
  printExact,
  subtractExact,
} from "./exact.ts";
import {
  isDate,
  isInstant,
  parseCelDuration,
  parseDuration,
  parseInstant,
  parseTime,
  printCelDuration,
  printDuration,
  printInstant,
  printTime,
} from "./temporal.ts";

const exact = (text: string | number): Exact => {
  const value = parseExact(text);
  if (value === null) throw new Error(`${text} is not a number`);
  return value;
};

describe("exact numbers", () => {
  test.each([
    ["0", "0"],
    ["-0.00", "0"],
    ["007", "7"],
    ["12.50", "12.5"],
    ["-0.05", "-0.05"],
    ["1e3", "1000"],
    ["1.25e-2", "0.0125"],
    ["123456789012345678901234567890.5", "123456789012345678901234567890.5"],
  ])("%s is %s", (text, printed) => expect(printExact(exact(text))).toBe(printed));

  test.each([
    "",
    "-",
    ".5",
    "5.",
    "1e",
    "1e9999999",
    "1e2000",
    "0x1",
    "1_000",
    "NaN",
    "Infinity",
    " 1",
    "1 ",
    "--1",
    "1".repeat(2_000),
  ])("%j is not a number", (text) => {
    expect(parseExact(text)).toBeNull();
  });

  test("division truncates toward zero", () => {
    const divide = (a: string, b: string, places: number): string | null => {
      const result = divideExact(exact(a), exact(b), places);
      return result && printExact(result);
    };
    expect(divide("7", "2", 0)).toBe("3");
    expect(divide("-7", "2", 0)).toBe("-3");
    expect(divide("2", "3", 10)).toBe("0.6666666666");
    expect(divide("-2", "3", 10)).toBe("-0.6666666666");
    expect(divide("1", "0.00000000000000000001", 10)).toBe("100000000000000000000");
    expect(divide("1", "0.0", 10)).toBeNull();
  });

  test("a number within the limits has a nearest float", () => {
    expect(floatOf(exact("0.1"))).toBe(0.1);
    expect(floatOf(exact("9007199254740993"))).toBe(9007199254740992);
    expect(floatOf(exact(`1${"0".repeat(150)}`))).toBe(1e150);
    expect(floatOf(exact(`1${"0".repeat(150)}.1`))).toBeNull();
    expect(floatOf(exact("1e-150"))).toBe(1e-150);
    expect(floatOf(exact("9e-151"))).toBeNull();
  });

  test("property: exact numbers calculate like BigInt, with and without decimal places", () => {
    const number = fc.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(12));
    fc.assert(
      fc.property(number, number, ([a, i], [b, j]) => {
        const [x, y]: [Exact, Exact] = [
          { digits: a, scale: i },
          { digits: b, scale: j },
        ];
        expect(printExact(exact(printExact(x)))).toBe(printExact(x));
        expect(compareExact(x, exact(printExact(x)))).toBe(0);
        expect(compareExact(subtractExact(addExact(x, y), y), x)).toBe(0);
        expect(multiplyExact(x, y)).toEqual({ digits: a * b, scale: i + j });
        const quotient = divideExact(x, y, 10);
        expect(quotient === null).toBe(b === 0n);
        if (quotient === null) return;
        // The rest is smaller than one unit of the quotient, and doesn't cross zero.
        const rest = subtractExact(x, multiplyExact(quotient, y));
        const step = { digits: b < 0n ? -b : b, scale: j + 10 };
        const size = { ...rest, digits: rest.digits < 0n ? -rest.digits : rest.digits };
        expect(compareExact(size, step)).toBeLessThan(0);
        expect(rest.digits === 0n || rest.digits > 0n === a > 0n).toBe(true);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });
});

describe("times", () => {
  test.each([
    "2026-01-31T12:00:00Z",
    "2024-02-29t23:59:59.999999z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-23:59",
  ])("%s is an instant", (text) => {
    expect(isInstant(text)).toBe(true);
  });

  test.each([
    ...[
      "2026-02-29T12:00:00Z",
      "0000-01-01T00:00:00Z",
      "2026-01-31T24:00:00Z",
      "2026-01-31T12:60:00Z",
      "2026-01-31T12:00:60Z",
    ],
    ...[
      "2026-01-31T12:00Z",
      "2026-01-31T12:00:00",
      "2026-01-31 12:00:00Z",
      "2026-01-31T12:00:00.1234567Z",
      "2026-01-31T12:00:00.Z",
      "2026-01-31T12:00:00+24:00",
      "2026-01-31T12:00:00+1:00",
      "",
      "Z",
    ],
  ])("%j is not an instant", (text) => expect(isInstant(text)).toBe(false));

  test("property: an instant equals JavaScript's Date to the millisecond, and prints as it was read", () => {
    const instant = fc.date({
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instant, fc.nat(999), (date, micros) => {
        const value = parseInstant(date.toISOString()) ?? 0n;
        expect(value).toBe(BigInt(date.getTime()) * 1000n);
        expect(parseInstant(printInstant(value + BigInt(micros)))).toBe(value + BigInt(micros));
      }),
      { seed: 1 },
    );
  });

  test("dates and times of day", () => {
    expect(["2026-01-31", "2024-02-29", "0001-01-01"].map(isDate)).toEqual([true, true, true]);
    expect(["2026-1-31", "2025-02-29", "0000-01-01", "2026-01-31T", "20260131"].map(isDate)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(parseTime("09:30")).toBe(34_200_000_000n);
    expect(["24:00", "9:30", "09:60", "09:30:60", "09:30:00.", "09:30:00.1234567", "09:30:0"].map(parseTime)).toEqual(
      Array(7).fill(null),
    );
    expect(printTime(34_200_000_001n)).toBe("09:30:00.000001");
  });

  test.each([
    ["PT1H30M", 5_400n],
    ["P1D", 86_400n],
    ["P2W", 1_209_600n],
    ["P1DT0.5S", null],
    ["-PT1H", -3_600n],
    ["PT-1H", -3_600n],
    ["-PT-1H", 3_600n],
    ["P1W2DT3H4M5S", 604_800n + 172_800n + 11_045n],
    ["PT36H", 129_600n],
  ])("%s", (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds === null ? 86_400_500_000n : seconds * 1_000_000n);
  });

  test.each([
    "",
    "P",
    "PT",
    "P1",
    "1H",
    "P1H",
    "PT1D",
    "P1Y",
    "P1M",
    "PT1M1H",
    "PT1.5H",
    "PT1.S",
    "PT.5S",
    "PT1.0000001S",
    "P1DT",
    "PTT1H",
    "PT1H ",
    `PT${"9".repeat(20)}S`,
    "--PT1H",
  ])("%j is not a duration", (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  test("durations print in CEL's form", () => {
    expect(parseCelDuration("1h30m")).toBe(5_400_000_000n);
    expect(parseCelDuration("-1.5s")).toBe(-1_500_000n);
    expect(parseCelDuration("250ms")).toBe(250_000n);
    expect(parseCelDuration("0.5h")).toBe(1_800_000_000n);
    expect(parseCelDuration("0")).toBe(0n);
    for (const text of ["", "h", "1", "1d", "1 h", "1h-", "1.2.3s", "1ns", "PT1H"])
      expect(parseCelDuration(text), text).toBeNull();
  });

  test("property: a duration prints as it was read, in both forms", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), (micros) => {
        expect(parseDuration(printDuration(micros))).toBe(micros);
        expect(parseCelDuration(printCelDuration(micros))).toBe(micros);
      }),
      { seed: 1, numRuns: 1000 },
    );
  });
});
