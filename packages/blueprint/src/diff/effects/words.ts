// Says what background work newly does. In: the findings of a comparison. Out: sentences for a person, each about one
// operation, or about one receiver and all values that reach it.
import { withArticle } from "@plinth/expression";
import { named } from "../make-change.ts";
import { oneOf } from "../one-of.ts";
import type { Finding } from "./compare-effects.ts";
import type { Effect, Receiver, Source, Start } from "./effect.ts";

/** A summary with more sentences would not be read. */
const SENTENCES_MAX = 8;
const NAMES_MAX = 20;

export function wordsOfEffects(findings: readonly Finding[]): string {
  return limited([...new Set(findings.map(sentenceOf))], "effects");
}

export function wordsOfLeaving(findings: readonly Finding[]): string {
  const groups = Map.groupBy(findings, ({ effect, reach }) => `${effect.start.key} ${receiverOf(effect).key} ${reach}`);
  return limited([...groups.values()].map(leavingSentence), "ways out");
}

function limited(sentences: readonly string[], what: string): string {
  const shown = sentences.slice(0, SENTENCES_MAX);
  const left = sentences.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [`There are ${left} more ${what}.`])].join(" ");
}

function sentenceOf({ effect, reach, causers }: Finding): string {
  const [does, doing] = wordsOfAct(effect);
  const who = causers.length === 0 ? "" : `, which ${causers.map(oneOf).join(" or ")} can cause,`;
  const when = `${startWords(effect.start)}${who === "" ? "," : who}`;
  switch (reach) {
    case "new":
      return `${when} ${does}.`;
    case "wider":
      return `${when} ${does}, in cases in which this did not happen before.`;
    case "caused":
      return `${when} ${doing}, and more people can cause it now.`;
    case "undecided":
      return `${when} ${does}; it could not be decided within the budget whether this happened before, so it counts as looser.`;
  }
}

function startWords({ kind, name }: Start): string {
  switch (kind) {
    case "event":
      return `On \`${name}\``;
    case "time":
      return "On a schedule";
    case "worker":
      return `When \`${name}\` runs`;
    case "action":
      return `By a call of \`${name}\``;
  }
}

/** With "now", and without. */
function wordsOfAct({ act, words, source }: Effect): readonly [string, string] {
  const service = (does: string): readonly [string, string] => [`the service now ${does}`, `the service ${does}`];
  switch (act.kind) {
    case "create":
      return service(`creates ${withArticle(`\`${act.entity}\``)}${words === "" ? "" : ` with ${words}`}`);
    case "update":
      return service(`sets \`${act.field}\` of ${withArticle(`\`${act.entity}\``)} to ${words}`);
    case "transition":
      return service(`takes \`${act.edge}\` on ${withArticle(`\`${act.entity}\``)}`);
    case "delete":
      return service(`deletes ${withArticle(`\`${act.entity}\``)}`);
    case "emit":
      return service(`emits \`${act.name}\``);
    case "run":
      return service(`starts \`${act.name}\``);
    case "show": {
      const what = source === null ? "a value" : sourceWords([source]);
      const who = act.to === "caller" ? "its callers" : `holders of ${named(act.to, "or")}`;
      return [`${who} now see ${what}`, `${who} see ${what}`];
    }
    case "leave":
      return service("sends data");
  }
}

function leavingSentence(findings: readonly Finding[]): string {
  const [{ effect, reach }] = findings as [Finding, ...Finding[]];
  const { kind, words } = receiverOf(effect);
  const when = startWords(effect.start);
  const more = reach === "wider" ? " in cases in which this did not happen before" : "";
  const unsure = reach === "undecided" ? "; it could not be decided within the budget whether it did before" : "";
  const sources = findings.flatMap(({ effect: { source } }) => (source === null ? [] : [source]));
  if (kind === "answers") return `${when}, answers to a mail now go to ${words}${more}${unsure}.`;
  const by = kind === "mail" ? " by mail" : "";
  const reaches = new Set(sources.map(({ entity, field }) => `${entity}.${field}`)).size === 1 ? "reaches" : "reach";
  if (sources.length > 0) return `${when}, ${sourceWords(sources)} now ${reaches} ${words}${by}${more}${unsure}.`;
  return kind === "mail"
    ? `${when}, a mail is now sent to ${words}${more}${unsure}.`
    : `${when}, a message is now sent to ${words}${more}${unsure}.`;
}

/** "`email` and `name` of `user`, `data.code` of the event". */
function sourceWords(sources: readonly Source[]): string {
  const owners = Map.groupBy(sources, ({ origin, entity }) => entity ?? origin);
  const parts = [...owners].map(([owner, own]) => {
    const fields = listed([...new Set(own.map(({ field }) => field))]);
    const [first] = own;
    if (first?.entity != null) return `${fields} of \`${owner}\``;
    if (owner === "event") return `${fields} of the event`;
    return owner === "input" ? `${fields} of the input` : `a value of an earlier step`;
  });
  return [...new Set(parts)].join(", ");
}

/** All of them for most entities; otherwise as many as somebody reads. */
function listed(names: readonly string[]): string {
  if (names.length <= NAMES_MAX) return named(names);
  const shown = names.slice(0, NAMES_MAX).map((name) => `\`${name}\``);
  return `${shown.join(", ")} and ${names.length - NAMES_MAX} more fields`;
}

function receiverOf({ act }: Effect): Receiver {
  if (act.kind !== "leave") throw new Error("this effect has no receiver");
  return act.receiver;
}
