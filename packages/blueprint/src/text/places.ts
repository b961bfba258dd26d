// Finds positions on demand. In: the nodes of checked rules with their offsets in scalars. Out: the position of a node
// in the blueprint.
import type { Expression } from "@plinth/expression";
import type { Position } from "./diagnostic.ts";
import { createPositions } from "./report.ts";
import { rangeWithin, type ScalarNode } from "./syntax.ts";

export interface Place {
  readonly start: Position;
  readonly end: Position;
}

/** The positions of the nodes of a model's expressions, looked up by the same object that the model contains. */
export interface Places {
  get(node: Expression): Place | null;
}

export interface PlaceTable extends Places {
  /** The nodes of one rule; `item` is the index of the scalar that contains the node. */
  add(written: ReadonlyMap<Expression, Written>, scalars: readonly ScalarNode[]): void;
  /** A node that replaces another one has its position. */
  move(from: Expression, to: Expression): void;
}

interface Written {
  readonly item: number;
  readonly start: number;
  readonly end: number;
}

/** Nothing is copied or searched before it is needed, because a blueprint is checked at every key press. */
export function createPlaces(source: string): PlaceTable {
  const rules: { readonly written: ReadonlyMap<Expression, Written>; readonly scalars: readonly ScalarNode[] }[] = [];
  const moved = new Map<Expression, Expression>();
  let positionOf: ((offset: number) => Position) | null = null;
  const find = (node: Expression): Place | null => {
    for (const { written, scalars } of rules) {
      const place = written.get(node);
      const scalar = place === undefined ? undefined : scalars[place.item];
      if (place === undefined || scalar === undefined) continue;
      positionOf ??= createPositions(source);
      const range = rangeWithin(scalar, source, place.start, place.end);
      return { start: positionOf(range.start), end: positionOf(range.end) };
    }
    return null;
  };
  return {
    add: (written, scalars) => void rules.push({ written, scalars }),
    move: (from, to) => void (from === to || moved.set(to, moved.get(from) ?? from)),
    get: (node) => find(node) ?? find(moved.get(node) ?? node),
  };
}
