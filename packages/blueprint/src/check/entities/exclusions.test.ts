// Valid exclusions, and the diagnostics of invalid ones.
import { describe, expect, test } from "vitest";
import { checkBlueprint } from "../../check-blueprint.ts";

const blueprint = (entry: string): string => `project: demo
modules: [auth]
entities:
  booking:
    exclude: { once: ${entry} }
    fields:
      room: string
      photo: json?
      starts_at: datetime
      ends_at: datetime?
      day: date
      seats: int
    permissions: { user: { all: true } }
`;

const said = (entry: string): readonly string[] =>
  checkBlueprint(blueprint(entry)).diagnostics.map(({ code, message, hint }) => `${code}: ${message} ${hint ?? ""}`);

test.each([
  "{ same: [room], overlap: [starts_at, ends_at] }",
  "{ same: room, overlap: [starts_at, ends_at], where: seats > 0 }",
])("%s is accepted", (entry) => expect(said(entry)).toEqual([]));

describe("an exclusion is refused:", () => {
  test.each([
    ["{ overlap: [starts_at, ends_at] }", "missing_key: `once` doesn't say which records to compare."],
    ["{ same: [romm], overlap: [starts_at, ends_at] }", "unknown_field: `booking` has no field `romm`."],
    ["{ same: [photo], overlap: [starts_at, ends_at] }", "invalid_option: `photo` has the type `json`"],
    ["{ same: [room, room], overlap: [starts_at, ends_at] }", "duplicate_value: `room` is listed twice."],
    ["{ same: [room], overlap: [starts_at] }", "invalid_option: `overlap` must name two fields."],
    [
      "{ same: [room], overlap: [starts_at, day] }",
      "invalid_option: `starts_at` has the type `datetime`, but `day` has the type `date`.",
    ],
    [
      "{ same: [room], overlap: [room, room] }",
      "invalid_option: A span can't be made of two fields of the type `string`.",
    ],
    ["{ same: [room], overlap: [day, day] }", "invalid_option: A span needs two fields: its start and its end."],
    ["{ same: [room], overlap: [starts_at, ends_at], when: 1 }", "unknown_key"],
    ["[room]", "wrong_kind"],
  ])("%s", (entry, start) => {
    const [first = ""] = said(entry);
    expect(first.startsWith(start), first).toBe(true);
  });

  test("two with the same meaning", () => {
    const entry =
      "{ same: [room], overlap: [starts_at, ends_at] }, again: { same: [room], overlap: [starts_at, ends_at] }";
    expect(said(entry)).toEqual([expect.stringContaining("`once` already says the same.")]);
  });
});

describe("seed rows", () => {
  const seeded = (...rows: readonly string[]): readonly string[] =>
    checkBlueprint(`project: demo
modules: [auth]
entities:
  booking:
    exclude:
      days: { same: [room], overlap: [first, last], where: open }
      seats: { same: [room], overlap: [low, high] }
    fields: { room: string?, first: date?, last: date?, low: "decimal(30, 2) = 0", high: "decimal(30, 2) = 0", open: bool = true }
    seed:
${rows.map((row) => `      - { ${row} }`).join("\n")}
    permissions: { user: { all: true } }
`).diagnostics.map(({ message }) => message);
  const days = (first: string, last: string): string => `room: a, first: 2026-01-${first}, last: 2026-01-${last}`;

  test.each<[string, readonly string[]]>([
    ["one after the other", [days("05", "09"), days("01", "05"), days("09", "09"), days("09", "10")]],
    ["of different rooms, or of none", [days("01", "05"), "room: b, first: 2026-01-02", "first: 2026-01-02", "low: 0"]],
    ["that don't count", [days("01", "05"), `${days("02", "03")}, open: false`]],
  ])("that stand %s are fine", (_, rows) => expect(seeded(...rows)).toEqual([]));

  test.each<[string, readonly string[]]>([
    ["overlap", [days("05", "09"), days("01", "03"), days("02", "06")]],
    ["lie within another", [days("01", "09"), days("02", "03")]],
    ["hold another", [days("02", "03"), days("01", "09")]],
    ["are open", ["room: a, first: 2026-01-05", "room: a, last: 2026-01-06"]],
  ])("that %s are refused", (_, rows) =>
    expect(seeded(...rows)).toEqual(["This row is not valid: it overlaps the row `days` above."]),
  );

  test("are compared by their values", () => {
    const wide = "low: 9999999999999999.01, high: 9999999999999999.03, open: false, room: a";
    expect(seeded(wide, wide.replace(".01", ".02"))).toEqual([
      "This row is not valid: it overlaps the row `seats` above.",
    ]);
    expect(seeded(wide, "low: 9999999999999999.03, high: 10000000000000000, open: false, room: a")).toEqual([]);
  });

  test("that end before they start are refused", () =>
    expect(seeded(days("05", "04"))).toEqual(["This row is not valid: `last` must not be before `first`."]));
});
