// Checkboxes for the roles of a user. In: the roles of the live blueprint, and the chosen ones. Out: every change. `user` can't be removed:
// every signed-in user has it.

interface RoleBoxesProps {
  roles: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
  disabled?: boolean;
}

export function RoleBoxes({ roles, chosen, onChange, disabled = false }: RoleBoxesProps) {
  const shown = [...new Set(["user", ...roles, ...chosen])];
  return (
    <fieldset>
      <legend className="mb-1.5 text-[0.8125rem] font-medium">Roles</legend>
      <div className="flex flex-wrap gap-x-5 gap-y-2">
        {shown.map((name) => (
          <label key={name} className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={name === "user" || chosen.includes(name)}
              disabled={disabled || name === "user"}
              onChange={() =>
                onChange(chosen.includes(name) ? chosen.filter((other) => other !== name) : [...chosen, name])
              }
              className="size-4 rounded accent-accent"
            />
            <span className="font-mono text-[0.8125rem]">{name}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
