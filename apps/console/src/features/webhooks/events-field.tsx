// The field for the events of an endpoint. In: their names, as typed. Out: what is typed; `eventNames` reads it.
import { TextField } from "../../ui/field.tsx";

interface EventsFieldProps {
  value: string;
  onChange: (value: string) => void;
}

export function EventsField({ value, onChange }: EventsFieldProps) {
  return (
    <TextField
      label="Events"
      hint="Names of events, order.* for all events of order, or * for all events. Separate them with spaces."
      required
      className="font-mono text-xs"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
