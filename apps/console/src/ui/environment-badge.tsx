// A badge for an environment. In: its kind and name. Out: a badge; production has its own colour and an icon.
import { Globe } from "lucide-react";
import { Badge } from "./badge.tsx";

interface EnvironmentBadgeProps {
  kind: "development" | "preview" | "production";
  name: string;
  className?: string;
}

export function EnvironmentBadge({ kind, name, className }: EnvironmentBadgeProps) {
  return (
    <Badge
      tone={kind === "production" ? "accent" : kind === "preview" ? "warn" : "neutral"}
      className={className ?? ""}
    >
      {kind === "production" ? <Globe className="size-3!" aria-hidden /> : null}
      {name}
    </Badge>
  );
}
