// Where the boxes and lines of a model's picture stand. In: nodes with their fields and what they refer to. Out:
// positions in pixels. Pure: the same model always gives the same picture.
//
// Columns by depth: what refers to nothing stands left, what refers to it one column further right; within a column by
// the mean place of what is referred to, which keeps most lines from crossing. What has no relation at all stands below.
// A large model is packed so that it is about as wide as a window: a column that is too high goes on to the right.

export interface ModelNode {
  readonly name: string;
  readonly rows: readonly ModelRow[];
  /** Fields that are not drawn. */
  readonly more: number;
  /** The edges of its state machine, below the fields. */
  readonly edges: readonly ModelEdge[];
}

export interface ModelEdge {
  readonly name: string;
  /** "draft → active". */
  readonly states: string;
}

export interface ModelRow {
  readonly name: string;
  readonly type: string;
  /** The node that the field refers to. */
  readonly target: string | null;
}

export interface Box {
  readonly node: ModelNode;
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

export interface Line {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** An SVG path from the field to the head of the box it refers to. */
  readonly path: string;
  /** Where the line meets the box it refers to. */
  readonly end: { readonly x: number; readonly y: number };
  /** How far to the right it reaches. */
  readonly right: number;
}

export interface ModelLayout {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

export const boxWidth = 216;
export const headHeight = 36;
export const rowHeight = 24;
export const edgesGap = 8;
const boxFoot = 8;
const columnGap = 72;
const boxGap = 24;
const looseColumnsMin = 3;
/** Columns up to this height are never split. */
const columnHeightMin = 1400;
/** From so many entities on, the whole is more important than that each column is one depth. */
const packedMin = 24;
/** Width by height of the picture of a large model. */
const aspect = 1.5;

export function layoutModel(nodes: readonly ModelNode[]): ModelLayout {
  const related = new Set(nodes.flatMap((node) => targetsOf(node, nodes).flatMap((target) => [node.name, target])));
  const columns = columnsOf(nodes.filter(({ name }) => related.has(name)));
  const heightMax = columnHeightMax(nodes);
  const boxes = new Map<string, Box>();
  let bottom = 0;
  let at = 0;
  let y = 0;
  const packed = isScattered(columns, heightMax);
  for (const [index, column] of columns.entries()) {
    if (index > 0 && !packed) [at, y] = [at + 1, 0];
    const sorted = [...column].sort((a, b) => meanTop(a, boxes) - meanTop(b, boxes));
    for (const node of sorted) {
      // Too high for one column: it goes on in another one to the right.
      if (y > 0 && y + heightOf(node) > heightMax) [at, y] = [at + 1, 0];
      boxes.set(node.name, { node, x: at * (boxWidth + columnGap), y, height: heightOf(node) });
      y += heightOf(node) + boxGap;
      bottom = Math.max(bottom, y);
    }
  }
  const columnCount = columns.length === 0 ? 0 : at + 1;

  const loose = nodes.filter(({ name }) => !related.has(name));
  const looseColumns = Math.ceil(loose.reduce((sum, node) => sum + heightOf(node) + boxGap, 0) / heightMax);
  const tops = Array.from({ length: Math.max(looseColumnsMin, columnCount, looseColumns) }, () => bottom);
  for (const node of loose) {
    const column = tops.indexOf(Math.min(...tops));
    const top = tops[column] ?? bottom;
    boxes.set(node.name, { node, x: column * (boxWidth + columnGap), y: top, height: heightOf(node) });
    tops[column] = top + heightOf(node) + boxGap;
  }

  const placed = [...boxes.values()];
  const lines = placed.flatMap((box) => linesFrom(box, boxes));
  return {
    boxes: placed,
    lines,
    width: Math.max(0, ...placed.map(({ x }) => x + boxWidth), ...lines.map(({ right }) => right)),
    height: Math.max(0, ...placed.map(({ y, height }) => y + height)),
  };
}

/** Long chains of references give many columns with little in them: then a column goes on with what refers to it. */
function isScattered(columns: readonly (readonly ModelNode[])[], heightMax: number): boolean {
  const heights = columns.map((column) => column.reduce((sum, node) => sum + heightOf(node) + boxGap, 0));
  const needed = heights.reduce((sum, height) => sum + height, 0) / heightMax;
  const taken = heights.reduce((sum, height) => sum + Math.ceil(height / heightMax), 0);
  return columns.flat().length >= packedMin && taken > needed * 1.5;
}

/** Such that a large model fills about a window, instead of one long column. */
function columnHeightMax(nodes: readonly ModelNode[]): number {
  const area = nodes.reduce((sum, node) => sum + (heightOf(node) + boxGap) * (boxWidth + columnGap), 0);
  return Math.max(columnHeightMin, Math.sqrt(area / aspect));
}

function heightOf(node: ModelNode): number {
  const edges = node.edges.length > 0 ? edgesGap + node.edges.length * rowHeight : 0;
  return headHeight + fieldRows(node) * rowHeight + edges + boxFoot;
}

/** How many rows the fields take, the one that counts the rest included. */
export function fieldRows(node: ModelNode): number {
  return node.rows.length + (node.more > 0 ? 1 : 0);
}

/** What a node refers to, itself left out: a line to oneself says nothing about where to stand. */
function targetsOf(node: ModelNode, nodes: readonly ModelNode[]): string[] {
  const known = new Set(nodes.map(({ name }) => name));
  return node.rows.flatMap(({ target }) =>
    target !== null && target !== node.name && known.has(target) ? [target] : [],
  );
}

function columnsOf(nodes: readonly ModelNode[]): ModelNode[][] {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const depths = new Map<string, number>();
  const open = new Set<string>();
  function depthOf(name: string): number {
    const known = depths.get(name);
    if (known !== undefined) return known;
    open.add(name);
    const node = byName.get(name);
    // A circle of references has no depth: the line that closes it is left out of the count.
    const below = node ? targetsOf(node, nodes).filter((target) => !open.has(target)) : [];
    const depth = Math.max(-1, ...below.map(depthOf)) + 1;
    open.delete(name);
    depths.set(name, depth);
    return depth;
  }
  const columns: ModelNode[][] = [];
  for (const node of nodes) {
    const depth = depthOf(node.name);
    while (columns.length <= depth) columns.push([]);
    columns[depth]?.push(node);
  }
  return columns.filter((column) => column.length > 0);
}

function meanTop(node: ModelNode, boxes: ReadonlyMap<string, Box>): number {
  const tops = node.rows.flatMap(({ target }) => {
    const box = target === null ? undefined : boxes.get(target);
    return box ? [box.y] : [];
  });
  return tops.length === 0 ? Number.MAX_SAFE_INTEGER : tops.reduce((sum, top) => sum + top, 0) / tops.length;
}

function linesFrom(box: Box, boxes: ReadonlyMap<string, Box>): Line[] {
  return box.node.rows.flatMap((row, index) => {
    const target = row.target === null ? undefined : boxes.get(row.target);
    if (!target) return [];
    const fromY = box.y + headHeight + index * rowHeight + rowHeight / 2;
    const toY = target.y + headHeight / 2;
    const toX = target.x + boxWidth;
    const id = `${box.node.name}.${row.name}`;
    const end = { x: toX, y: toY };
    if (target.x < box.x) {
      const bend = Math.min(columnGap * 0.75, (box.x - toX) / 2 + 12);
      const path = `M ${box.x} ${fromY} C ${box.x - bend} ${fromY}, ${toX + bend} ${toY}, ${toX} ${toY}`;
      return [{ id, from: box.node.name, to: target.node.name, path, end, right: box.x }];
    }
    // To itself, to its own column, or back: around the right side.
    const fromX = box.x + boxWidth;
    const reach = Math.max(fromX, toX) + columnGap * 0.6;
    const path = `M ${fromX} ${fromY} C ${reach} ${fromY}, ${reach} ${toY}, ${toX} ${toY}`;
    // A curve stays within its control points.
    return [{ id, from: box.node.name, to: target.node.name, path, end, right: reach }];
  });
}
