// An operation in words. In: its name in the model. Out: what a person calls it.
export function operationName(operation: string): string {
  const [kind = "", edge] = operation.split(":");
  return edge === undefined ? kind.charAt(0).toUpperCase() + kind.slice(1) : `Transition ${edge}`;
}
