// Missing consents: a person at a terminal gets options to add, and any other caller the place where a person consents.
import { expect, test } from "vitest";
import { missingConsents } from "./print-approval.ts";

const missing = ["destructive note.body", "protected_core auth.reset_url"];
const page = "https://console.example/projects/p/changes/c";

test("a script or an AI gets no options to repeat", () => {
  expect(missingConsents({ columns: null }, missing, page).join("\n")).toBe(`A person must give these consents:
  destructive note.body
  protected_core auth.reset_url
They read the change and give them here: ${page}`);
});

test("a person at a terminal gets the options", () => {
  expect(
    missingConsents({ columns: 80 }, missing, page).join("\n"),
  ).toBe(`These consents are missing. To give them, add:
  --consent "destructive note.body"
  --consent "protected_core auth.reset_url"
Or give them in the console: ${page}`);
});
