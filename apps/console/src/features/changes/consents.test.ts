// Consents are read one by one: the gravest first, each with the change that owes it.
import type { Change } from "@plinth/blueprint";
import { expect, test } from "vitest";
import { owedConsents } from "./consents.ts";

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

test("the gravest stands first, and none is lost", () => {
  const owed = owedConsents(
    [
      "breaking listing.note",
      "breaking listing.price",
      "destructive listing.note",
      "loosens_access listing.permissions.public.read",
      "protected_core listing.permissions.public.read",
    ],
    changes,
  );
  expect(owed.map(({ name }) => name)).toEqual([
    "destructive listing.note",
    "loosens_access listing.permissions.public.read",
    "protected_core listing.permissions.public.read",
    "breaking listing.note",
    "breaking listing.price",
  ]);
});

test("each says what it is about: access by its witness, the rest by the change", () => {
  const owed = owedConsents(["destructive listing.note", "loosens_access listing.permissions.public.read"], changes);
  expect(owed.map(({ sentence, about }) => [sentence, about])).toEqual([
    ["The data of `listing.note` is taken out of service, and dropped after seven days.", "Drop `note`."],
    [
      "`listing.permissions.public.read` lets somebody do what they could not do before.",
      "`public` can now read a draft.",
    ],
  ]);
});

test("a consent that speaks of no change is shown all the same", () => {
  expect(owedConsents(["protected_core roles.$&"], changes)).toMatchObject([
    { sentence: "`roles.$&` is part of the protected core: access, roles, audit, secrets, targets.", about: null },
  ]);
});
