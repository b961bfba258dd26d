// The comparisons that the table's filters offer. In: the kind of a field. Out: the operators of the API that fit it, with their words. Pure.

export interface FilterOperator {
  /** As in `field[operator]`; empty for equality. */
  readonly name: string;
  readonly label: string;
  /** False if the operator says it all: then no value is typed. */
  readonly takesValue: boolean;
  /** The value that is sent if none is typed. */
  readonly value?: string;
}

const operator = (name: string, label: string): FilterOperator => ({ name, label, takesValue: true });
const equality = [operator("", "is"), operator("ne", "is not")];
const parts = [
  operator("icontains", "contains"),
  operator("istarts_with", "starts with"),
  operator("iends_with", "ends with"),
];
const order = [operator("gte", "is at least"), operator("lte", "is at most")];
const emptiness: readonly FilterOperator[] = [
  { name: "is_null", label: "is null", takesValue: false, value: "true" },
  { name: "is_null", label: "is not null", takesValue: false, value: "false" },
];

const texts = new Set("string text markdown slug email url phone".split(" "));
const ordered = new Set("int bigint float decimal money percent date time datetime duration".split(" "));

export function operatorsFor(kind: string): readonly FilterOperator[] {
  if (texts.has(kind)) return [...equality, ...parts, ...emptiness];
  return ordered.has(kind) ? [...equality, ...order, ...emptiness] : [...equality, ...emptiness];
}

/** `price[gte]` and `5` as people read it: `is at least 5`. */
export function filterText(filter: string, value: string): { readonly field: string; readonly text: string } {
  const [, field = filter, name = ""] = /^(\w+?)(?:\[(\w+)\])?$/.exec(filter) ?? [];
  const known = [...equality, ...parts, ...order, ...emptiness].find(
    (one) => one.name === name && (one.takesValue || one.value === value),
  );
  const label = known?.label ?? name;
  return { field, text: known?.takesValue === false ? label : `${label} ${value}` };
}
