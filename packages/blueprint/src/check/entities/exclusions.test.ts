// What may stand under `exclude`, and what is said where it can't.
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

describe("is refused:", () => {
  test.each([
    ["{ overlap: [starts_at, ends_at] }", "missing_key: `once` doesn't say which records it compares."],
    ["{ same: [romm], overlap: [starts_at, ends_at] }", "unknown_field: `booking` has no field `romm`."],
    ["{ same: [photo], overlap: [starts_at, ends_at] }", "invalid_option: `photo` is of the type `json`"],
    ["{ same: [room, room], overlap: [starts_at, ends_at] }", "duplicate_value: `room` stands here twice."],
    ["{ same: [room], overlap: [starts_at] }", "invalid_option: `overlap` names two fields."],
    ["{ same: [room], overlap: [starts_at, day] }", "invalid_option: `starts_at` is a `datetime`, and `day` a `date`."],
    ["{ same: [room], overlap: [room, room] }", "invalid_option: Nothing spans from a `string` to another."],
    ["{ same: [room], overlap: [day, day] }", "invalid_option: A span begins and ends in two fields."],
    ["{ same: [room], overlap: [starts_at, ends_at], when: 1 }", "unknown_key"],
    ["[room]", "wrong_kind"],
  ])("%s", (entry, start) => {
    const [first = ""] = said(entry);
    expect(first.startsWith(start), first).toBe(true);
  });

  test("two that say the same", () => {
    const entry =
      "{ same: [room], overlap: [starts_at, ends_at] }, again: { same: [room], overlap: [starts_at, ends_at] }";
    expect(said(entry)).toEqual([expect.stringContaining("`once` says the same already.")]);
  });
});
