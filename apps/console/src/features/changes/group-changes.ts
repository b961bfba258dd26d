// Sorts the changes of a proposal for reading. In: changes of the model. Out: a group for each entity, the gravest first, also within a
// group. The classes of each change decide how grave it is.
import type { Change, ChangeClass } from "@plinth/blueprint";

export interface ChangeGroup {
  /** The name of an entity, or of another section: `roles`, `modules`, `project`. */
  readonly name: string;
  readonly changes: readonly Change[];
}

const order: readonly ChangeClass[] = [
  "unsupported",
  "destructive",
  "loosens_access",
  "widens_egress",
  "breaking",
  "data_dependent",
  "rewrite",
  "backfill",
  "online",
  "safe",
];

export function groupChanges(changes: readonly Change[]): ChangeGroup[] {
  const groups = Map.groupBy(changes, ({ path }) => path.split(".")[0] ?? path);
  return [...groups]
    .map(([name, members]) => ({ name, changes: members.toSorted((a, b) => rank(a) - rank(b)) }))
    .sort((a, b) => gravity(a) - gravity(b));
}

/** The number of changes of each class, the gravest class first. A change can have several classes. */
export function countClasses(
  changes: readonly Change[],
): readonly { readonly name: ChangeClass; readonly count: number }[] {
  return order.flatMap((name) => {
    const count = changes.filter((change) => change.classes.includes(name)).length;
    return count === 0 ? [] : [{ name, count }];
  });
}

function rank(change: Change): number {
  return Math.min(...change.classes.map((name) => order.indexOf(name)));
}

/** The gravest group first; with equal rank, entities before other sections. */
function gravity({ changes }: ChangeGroup): number {
  const [first] = changes;
  if (first === undefined) return order.length * 2;
  return rank(first) * 2 + (/^(project|module|role|api|background)_/.test(first.kind) ? 1 : 0);
}
