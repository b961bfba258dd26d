// Executes a step that sends a mail. In: the step, and its context. Out: the result of the mail. It is recorded as
// started before it is sent, and never sent twice automatically, because a mail can't be undone.

import type { BundleEmail, JsonValue, StepAction } from "@plinth/bundle";
import { MailError } from "@plinth/connectors/email";
import type { EvaluationContext, Value } from "@plinth/expression";
import type { ProjectScope } from "@plinth/postgres";
import { isUuid } from "@plinth/service";
import type { Mailer, OutgoingMail, SentMail } from "../mail/mailer.ts";
import { fillHtml, lineOf, type RenderedMail, renderEmail, sanitizeMail } from "../mail/render.ts";
import type { ActiveRelease } from "../project/active-release.ts";
import { StepFailed } from "./step-failed.ts";
import { fillTemplate } from "./template.ts";

export type EmailAction = Extract<StepAction, { readonly kind: "email.send" }>;

export interface SendingOptions {
  readonly mailer: Mailer;
  readonly release: ActiveRelease;
  readonly scope: ProjectScope;
  /** The templates with which the run began. */
  readonly emails: readonly BundleEmail[];
}

interface Sending {
  readonly key: string;
  readonly context: EvaluationContext;
  readonly timeoutMs: number;
  readonly begin: () => Promise<void>;
}

/** @throws StepFailed, and the errors of `begin`. */
export async function sendEmail(
  options: SendingOptions,
  action: EmailAction,
  { key, context, timeoutMs, begin }: Sending,
): Promise<JsonValue> {
  const { mailer, release } = options;
  const replyTo = action.replyTo === null ? null : String(fillTemplate(action.replyTo, context) ?? "");
  const mail: OutgoingMail = {
    ...renderStep(options, action, context),
    key,
    connection: action.connection,
    to: await receiversOf(options, action, context),
    replyTo: replyTo === "" ? null : replyTo,
    template: action.template,
    timeoutMs,
  };
  return asStep(() => mailer.send(release.projectId, mail, begin));
}

async function asStep(send: () => Promise<SentMail>): Promise<JsonValue> {
  try {
    return { ...(await send()) };
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    const { problem, message, retryAfterMs, reply } = error;
    const code = problem === "unknown" || problem === "unanswered" ? "no_answer" : problem;
    throw new StepFailed(code, message, {
      isFinal: problem === "refused",
      isUnknown: problem === "unknown",
      retryAfterMs,
      body: reply,
    });
  }
}

function renderStep({ emails }: SendingOptions, action: EmailAction, context: EvaluationContext): RenderedMail {
  if (action.template === null) {
    const html = action.html === null ? null : sanitizeMail(fillHtml(action.html, context));
    const text = action.text === null ? null : textOf(fillTemplate(action.text, context));
    return {
      subject: lineOf(action.subject === null ? "" : textOf(fillTemplate(action.subject, context))),
      text: text ?? "This mail is in HTML. Open it in a program that shows HTML.",
      html,
    };
  }
  const template = emails.find(({ name }) => name === action.template);
  if (template === undefined)
    throw new StepFailed("refused", `The e-mail template \`${action.template}\` does not exist.`, { isFinal: true });
  const values = action.values === null ? {} : fillTemplate(action.values, context);
  const language = action.language === null ? null : textOf(fillTemplate(action.language, context));
  return renderEmail(template, values as Readonly<Record<string, Value>>, language);
}

async function receiversOf(
  { scope, release }: SendingOptions,
  { to, toUser }: EmailAction,
  context: EvaluationContext,
): Promise<readonly string[]> {
  if (toUser !== null) {
    const id = fillTemplate(toUser, context);
    if (typeof id !== "string" || !isUuid(id)) return [];
    const { rows } = await scope.transaction((open) =>
      open.query(`SELECT u.email FROM ${release.schema}.users u WHERE u.id = $1::uuid`, [id]),
    );
    return rows.flatMap(([email]) => (typeof email === "string" ? [email] : []));
  }
  const filled = to === null ? null : fillTemplate(to, context);
  const listed = Array.isArray(filled) ? filled : [filled];
  return listed.flatMap((each) => (each === null ? [] : [String(each).trim()]));
}

function textOf(value: JsonValue): string {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
