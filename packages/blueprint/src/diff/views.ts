// Compares views. In: the views of an entity before and after, in the same words. Out: the changes between them. A view
// shows only records that a list shows, but its condition can reveal what its readers can't read.
import { printExpression } from "@plinth/expression";
import type { Entity, View } from "../model/model.ts";
import type { Access } from "./access.ts";
import type { Change } from "./change.ts";
import { changeOf, same } from "./make-change.ts";

export function diffViews(before: Entity, after: Entity, access: Access): Change[] {
  const [were, are] = [before.views ?? [], after.views ?? []];
  const path = ({ name }: View): string => `${after.name}.views.${name}`;
  return [
    ...are.flatMap((view): Change[] => {
      const was = were.find(({ name }) => name === view.name);
      if (same(was, view)) return [];
      const witness = access.gainByView(before, after, view);
      const kind = was === undefined ? "view_added" : "view_changed";
      const summary =
        was === undefined
          ? `Add the view \`${view.name}\` of \`${after.name}\`: ${wordsOf(view)}.`
          : `The view \`${view.name}\` of \`${after.name}\` now has ${wordsOf(view)}.`;
      const classes = [witness === null ? ("safe" as const) : ("loosens_access" as const)];
      return [changeOf({ kind, path: path(view), summary, classes, before: was, after: view, witness })];
    }),
    ...were
      .filter((view) => !are.some(({ name }) => name === view.name))
      .map((view) =>
        changeOf({
          kind: "view_removed",
          path: path(view),
          summary: `Remove the view \`${view.name}\` of \`${after.name}\` and its route.`,
          classes: ["breaking"],
          before: view,
        }),
      ),
  ];
}

function wordsOf({ where, sort, limit }: View): string {
  const isAll = where.kind === "literal" && where.value === true;
  const order = sort.map(({ field, descending }) => `${descending ? "-" : ""}${field}`).join(", ");
  return [
    isAll ? "all records" : `records where \`${printExpression(where)}\``,
    ...(order === "" ? [] : [`sorted by \`${order}\``]),
    ...(limit === null ? [] : [`${limit} per page`]),
  ].join(", ");
}
