// Required consents: the gravest first, each with the change that requires it.
import type { Change } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { requiredConsents } from "./consents.ts";

const changes: readonly Change[] = [
  { kind: "field_changed", path: "listing.price", summary: "Price must be there.", classes: ["breaking"] },
  { kind: "field_removed", path: "listing.note", summary: "Drop `note`.", classes: ["destructive", "breaking"] },
  {
    kind: "permission_changed",
    path: "listing.permissions.public.read",
    summary: "Let `public` read more.",
    classes: ["loosens_access"],
    witness: {
      role: "public",
      operation: "read",
      entity: "listing",
      decided: true,
      summary: "`public` can now read a draft.",
      record: {},
    },
  },
];

test("the gravest is first, and none is lost", () => {
  const required = requiredConsents(
    [
      "breaking listing.note",
      "breaking listing.price",
      "destructive listing.note",
      "loosens_access listing.permissions.public.read",
      "protected_core listing.permissions.public.read",
    ],
    changes,
  );
  expect(required.map(({ name }) => name)).toEqual([
    "destructive listing.note",
    "loosens_access listing.permissions.public.read",
    "protected_core listing.permissions.public.read",
    "breaking listing.note",
    "breaking listing.price",
  ]);
});

test("each has a description: the witness for access, otherwise the summary of the change", () => {
  const required = requiredConsents(
    ["destructive listing.note", "loosens_access listing.permissions.public.read"],
    changes,
  );
  expect(required.map(({ sentence, about }) => [sentence, about])).toEqual([
    ["The data of `listing.note` is set aside, and dropped after seven days.", "Drop `note`."],
    [
      "`listing.permissions.public.read` gives somebody access that they did not have before.",
      "`public` can now read a draft.",
    ],
  ]);
});

test("a consent without a change is shown too", () => {
  expect(requiredConsents(["protected_core roles.$&"], changes)).toMatchObject([
    { sentence: "`roles.$&` is part of the protected core: access, roles, audit, secrets, targets.", about: null },
  ]);
});
