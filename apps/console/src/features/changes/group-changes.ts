// Sorts the changes of a proposal for reading. In: changes of the model. Out: groups, an entity each, the riskiest first,
// also within a group. It judges nothing: the risk of each change stands in it.
import type { Change, Risk } from "@plinth/blueprint";

export interface ChangeGroup {
  /** An entity's name, or what surrounds the entities: `roles`, `modules`, `project`. */
  readonly name: string;
  readonly changes: readonly Change[];
}

const order: readonly Risk[] = ["unsupported", "breaking", "loosens_access", "safe"];

export function groupChanges(changes: readonly Change[]): ChangeGroup[] {
  const groups = Map.groupBy(changes, ({ path }) => path.split(".")[0] ?? path);
  return [...groups]
    .map(([name, members]) => ({
      name,
      changes: members.toSorted((a, b) => order.indexOf(a.risk) - order.indexOf(b.risk)),
    }))
    .sort((a, b) => gravity(a) - gravity(b));
}

export function countRisks(changes: readonly Change[]): readonly { readonly risk: Risk; readonly count: number }[] {
  return order.flatMap((risk) => {
    const count = changes.filter((change) => change.risk === risk).length;
    return count === 0 ? [] : [{ risk, count }];
  });
}

/** What needs a second look first; among the rest, entities before what surrounds them. */
function gravity({ changes }: ChangeGroup): number {
  const [first] = changes;
  if (first === undefined) return order.length * 2;
  return order.indexOf(first.risk) * 2 + (/^(project|module|role)_/.test(first.kind) ? 1 : 0);
}
