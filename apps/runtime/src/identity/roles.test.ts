// Which roles a caller holds, whatever was given and declared.
import { compileModel } from "@plinth/compiler";
import { describe, expect, it } from "vitest";
import { modelOf } from "../modes/cell-fixture.ts";
import { expandRoles } from "./roles.ts";

describe("roles", () => {
  const bundle = compileModel(modelOf(["title"]));

  it.each([
    [[], ["public"]],
    [["chief"], ["chief", "editor", "public"]],
    [
      ["editor", "editor"],
      ["editor", "public"],
    ],
    [
      ["user", "owner", "chief"],
      ["chief", "editor", "owner", "public", "user"],
    ],
    [["gone", "__proto__", ""], ["public"]],
  ])("%j become %j", (given, roles) => {
    expect(expandRoles(bundle, given)).toEqual(roles);
    expect(expandRoles(bundle, given)).toBe(expandRoles(bundle, given));
  });

  it("are those of the release: without one, nobody is more than public", () => {
    expect(expandRoles(null, ["admin"])).toEqual(["public"]);
    const later = compileModel({ ...modelOf(["title"]), roles: modelOf([]).roles.filter((role) => role.builtin) });
    expect(expandRoles(later, ["chief"])).toEqual(["public"]);
  });
});
