// Compares payloads of declared events. In: the events of two models. Out: a change for each event that no longer carries
// what its receivers read. Workers and workflows of the project are checked; endpoints, listeners and apps that follow
// events are not known here.

import type { DeclaredEvent } from "../model/background.ts";
import type { Change } from "./change.ts";
import { changeOf, named, same } from "./make-change.ts";

export function diffPayloads(before: readonly DeclaredEvent[], after: readonly DeclaredEvent[]): Change[] {
  const old = new Map(before.map((event) => [event.name, event]));
  return after.flatMap((event) => {
    const was = old.get(event.name);
    const lost = was === undefined ? [] : sentencesOf(was, event);
    if (lost.length === 0) return [];
    const path = `events.${event.name}.payload`;
    return [changeOf({ kind: "background_changed", path, summary: lost.join(" "), classes: ["breaking"] })];
  });
}

function sentencesOf({ name, payload: before }: DeclaredEvent, { payload: after }: DeclaredEvent): readonly string[] {
  const now = new Map(after.map((member) => [member.name, member]));
  const gone = before.filter((member) => !now.has(member.name));
  const other = before.filter((member) => {
    const is = now.get(member.name);
    return is !== undefined && (!same(member.type, is.type) || (is.optional && !member.optional));
  });
  const namesOf = (members: DeclaredEvent["payload"]): string => named(members.map((member) => member.name));
  return [
    ...(gone.length === 0 ? [] : [`Receivers of \`${name}\` no longer get ${namesOf(gone)}.`]),
    ...(other.length === 0 ? [] : [`Receivers of \`${name}\` can get other values in ${namesOf(other)}, or none.`]),
  ];
}
