// Searches endpoints on the server: by a part of the address, by state, by owner. In: the search. Out: a changed search.
"use client";
import type { EndpointFilters, EndpointState } from "@plinth/control/router";
import { SelectField, TextField } from "../../ui/field.tsx";

export interface Search {
  readonly url: string;
  readonly state: EndpointState | "";
  /** The id of a user or an organization of the app. */
  readonly owner: string;
  readonly ownerKind: OwnerKind;
}

type OwnerKind = "any" | "user" | "organization";

export const noSearch: Search = { url: "", state: "", owner: "", ownerKind: "any" };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An incomplete id is not searched. */
export function filtersOf({ url, state, owner, ownerKind }: Search): EndpointFilters {
  const id = ownerKind !== "any" && UUID.test(owner.trim()) ? owner.trim() : undefined;
  return {
    ...(url.trim() === "" ? {} : { url: url.trim() }),
    ...(state === "" ? {} : { state }),
    ...(id === undefined ? {} : ownerKind === "user" ? { userId: id } : { organizationId: id }),
  };
}

const states: readonly (readonly [EndpointState, string])[] = [
  ["enabled", "Enabled"],
  ["failing", "Failing"],
  ["disabled", "Disabled"],
];

interface EndpointSearchProps {
  search: Search;
  onChange: (search: Search) => void;
}

export function EndpointSearch({ search, onChange }: EndpointSearchProps) {
  return (
    <search className="mb-3 flex flex-wrap items-start gap-2">
      <TextField
        label="Address contains"
        hideLabel
        placeholder="Address contains"
        maxLength={2000}
        value={search.url}
        onChange={(event) => onChange({ ...search, url: event.target.value })}
      />
      <SelectField
        label="State"
        hideLabel
        value={search.state}
        onChange={(event) =>
          onChange({ ...search, state: states.find(([value]) => value === event.target.value)?.[0] ?? "" })
        }
      >
        <option value="">Any state</option>
        {states.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Kind of owner"
        hideLabel
        value={search.ownerKind}
        onChange={(event) => onChange({ ...search, ownerKind: kindOf(event.target.value) })}
      >
        <option value="any">Any owner</option>
        <option value="user">Of a user</option>
        <option value="organization">Of an organization</option>
      </SelectField>
      {search.ownerKind === "any" ? null : (
        <TextField
          label="Id of the owner"
          hideLabel
          placeholder={search.ownerKind === "user" ? "Id of the user" : "Id of the organization"}
          value={search.owner}
          onChange={(event) => onChange({ ...search, owner: event.target.value })}
        />
      )}
    </search>
  );
}

function kindOf(value: string): OwnerKind {
  return value === "user" || value === "organization" ? value : "any";
}
