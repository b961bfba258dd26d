// The name of an operation for people. In: its name in the model, such as `transition:pay`. Out: text, such as "Transition pay".
export function operationName(operation: string): string {
  const [kind = "", edge] = operation.split(":");
  return edge === undefined ? kind.charAt(0).toUpperCase() + kind.slice(1) : `Transition ${edge}`;
}
