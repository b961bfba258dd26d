// Sorts the changes of a proposal for reading. In: changes of the model. Out: groups, an entity each, the riskiest first
// within a group. It judges nothing: the risk of each change stands in it.
import type { Change } from "@plinth/blueprint";

export interface ChangeGroup {
  readonly name: string;
  readonly changes: readonly Change[];
}

export type Risk = Change["risk"];

const order: readonly Risk[] = ["unsupported", "breaking", "loosens_access", "safe"];

/** What a path speaks of: the entity in `entities.listing.fields.price`, else its first word ("roles"). */
export function subjectOf(path: string): string {
  const [first = "", second] = path.split(/[./]/).filter((part) => part !== "");
  return first === "entities" && second !== undefined ? second : first;
}

export function groupChanges(changes: readonly Change[]): ChangeGroup[] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) {
    const name = subjectOf(change.path);
    groups.set(name, [...(groups.get(name) ?? []), change]);
  }
  return [...groups].map(([name, members]) => ({
    name,
    changes: members.toSorted((a, b) => order.indexOf(a.risk) - order.indexOf(b.risk)),
  }));
}

export function countRisks(changes: readonly Change[]): readonly { readonly risk: Risk; readonly count: number }[] {
  return order.flatMap((risk) => {
    const count = changes.filter((change) => change.risk === risk).length;
    return count === 0 ? [] : [{ risk, count }];
  });
}
