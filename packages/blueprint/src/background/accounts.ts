// Reads the section `auth`. In: its syntax. Out: whether addresses are verified before there is an account, and the
// pages that mails link to.
import { expectBoolean, expectMap, expectText, refuseKey } from "../declarations/expect.ts";
import type { AccountSettings } from "../model/background.ts";
import type { MapEntry, Node } from "../text/syntax.ts";
import type { BackgroundContext } from "./context.ts";

const accountKeys: readonly string[] = ["verify_email", "verify_url", "reset_url", "invitation_url"];
const PAGE = /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?(?:\/|$))[^\s#]*$/;

export function readAccounts({ reader }: Pick<BackgroundContext, "reader">, node: Node): AccountSettings {
  let settings: AccountSettings = { verifyEmail: false, verifyUrl: null, resetUrl: null, invitationUrl: null };
  for (const option of expectMap(reader, node, "`auth`")?.entries ?? []) {
    switch (option.key.text) {
      case "verify_email":
        settings = { ...settings, verifyEmail: expectBoolean(reader, option.value, "`verify_email`") ?? false };
        break;
      case "verify_url":
        settings = { ...settings, verifyUrl: pageOf({ reader }, option) };
        break;
      case "reset_url":
        settings = { ...settings, resetUrl: pageOf({ reader }, option) };
        break;
      case "invitation_url":
        settings = { ...settings, invitationUrl: pageOf({ reader }, option) };
        break;
      default:
        refuseKey(reader, option, "`auth`", accountKeys, []);
    }
  }
  return settings;
}

/** The token is added after a `#`, so that no server on the way and no log sees it. */
function pageOf({ reader }: Pick<BackgroundContext, "reader">, { key, value }: MapEntry): string | null {
  const text = expectText(reader, value, `\`${key.text}\``);
  if (text === null) return null;
  if (PAGE.test(text.text) && URL.parse(text.text) !== null) return text.text;
  const message = `\`${key.text}\` is not the https address of a page.`;
  reader.report.add("invalid_option", text.range, message, "For example `https://app.example.com/verify`.");
  return null;
}
