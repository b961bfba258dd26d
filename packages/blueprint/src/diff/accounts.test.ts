// Changes of the settings of sign-in: their classes, and that an AI can't make any of them.
import { expect, test } from "vitest";
import type { AccountSettings, EmailTemplate } from "../model/background.ts";
import type { Model } from "../model/model.ts";
import { diffModels } from "./diff.ts";
import { protect } from "./protect.ts";
import { sampleModel } from "./testing/samples.ts";

const none: AccountSettings = { verifyEmail: false, verifyUrl: null, resetUrl: null, invitationUrl: null };

function modelOf(accounts: Partial<AccountSettings> | null): Model {
  const model = sampleModel([]);
  return {
    ...model,
    background: { ...model.background, accounts: accounts === null ? null : { ...none, ...accounts } },
  };
}

test.each<[string, Partial<AccountSettings> | null, Partial<AccountSettings> | null, string[]]>([
  [
    "another host gets the tokens",
    { resetUrl: "https://app.example/reset" },
    { resetUrl: "https://evil.example/reset" },
    ["auth.reset_url widens_egress"],
  ],
  [
    "a page gets the tokens for the first time",
    null,
    { invitationUrl: "https://a.example" },
    ["auth.invitation_url widens_egress"],
  ],
  [
    "another port",
    { verifyUrl: "http://localhost:1/v" },
    { verifyUrl: "http://localhost:2/v" },
    ["auth.verify_url widens_egress"],
  ],
  [
    "another page of the same app",
    { verifyUrl: "https://a.example/v" },
    { verifyUrl: "https://a.example/w" },
    ["auth.verify_url safe"],
  ],
  ["no page any more", { resetUrl: "https://a.example/v" }, null, ["auth.reset_url safe"]],
  ["addresses are no longer verified", { verifyEmail: true }, {}, ["auth.verify_email loosens_access+breaking"]],
  ["the whole section disappears", { verifyEmail: true }, null, ["auth.verify_email loosens_access+breaking"]],
  ["addresses are verified from now on", null, { verifyEmail: true }, ["auth.verify_email breaking"]],
  ["a section that changes nothing", null, {}, []],
])("%s", (_, before, after, expected) => {
  const [was, is] = [modelOf(before), modelOf(after)];
  expect(diffModels(was, is).map(({ path, classes }) => `${path} ${classes.join("+")}`)).toEqual(expected);
  const touched = protect(was, is, "ai").map(({ path, rule, outcome }) => `${path} ${rule} ${outcome}`);
  expect(touched).toEqual(expected.map((line) => `${line.split(" ")[0]} sign_in refused`));
});

test("the text of a mail with a token belongs to the core, and names the addresses that it leads to", () => {
  const mail = (name: string, text: string): EmailTemplate => {
    const words = { kind: "literal" as const, value: text };
    const body = { subject: words, body: words };
    return { name, variables: [], language: "en", texts: { en: body }, help: null };
  };
  const withMails = (...emails: readonly EmailTemplate[]): Model => {
    const model = modelOf(null);
    return { ...model, background: { ...model.background, emails } };
  };
  const before = withMails(mail("reset_password", "See https://app.example/a"), mail("news", "Hello"));
  const after = withMails(mail("reset_password", "See https://evil.example/a"), mail("news", "https://b.example"));
  expect(diffModels(before, after).map(({ path, classes }) => `${path} ${classes.join("+")}`)).toEqual([
    "emails.reset_password safe",
    "emails.news safe",
    "auth.emails.reset_password widens_egress",
  ]);
  expect(protect(before, after, "ai").map(({ path, rule }) => `${path} ${rule}`)).toEqual([
    "emails.reset_password sign_in",
  ]);
});

test("a first version names the pages that get tokens", () => {
  const changes = diffModels(null, modelOf({ resetUrl: "https://a.example/reset", verifyEmail: true }));
  expect(changes.filter(({ path }) => path.startsWith("auth.")).map(({ path, classes }) => [path, classes])).toEqual([
    ["auth.verify_email", ["safe"]],
    ["auth.reset_url", ["widens_egress"]],
  ]);
  expect(changes.find(({ path }) => path === "auth.reset_url")?.summary).toBe(
    "Mails that reset a password now link to `https://a.example/reset`. That page gets their tokens.",
  );
});
