// The fields of an account: name, email, passwords. In: the value, and texts that differ between forms. Out: a field with the limits of the
// control API, and with attributes for password managers.
"use client";
import { TextField } from "../../ui/field.tsx";

interface AccountFieldProps {
  value: string;
  onChange: (value: string) => void;
}

interface EmailFieldProps extends AccountFieldProps {
  hint?: string;
}

interface PasswordFieldProps extends AccountFieldProps {
  label: string;
  name?: string;
}

export function NameField({ value, onChange }: AccountFieldProps) {
  return (
    <TextField
      label="Name"
      name="name"
      autoComplete="name"
      required
      maxLength={100}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

export function EmailField({ value, onChange, hint }: EmailFieldProps) {
  return (
    <TextField
      label="Email"
      type="email"
      name="email"
      autoComplete="email"
      required
      maxLength={254}
      hint={hint}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** For the password that the account has. */
export function CurrentPasswordField({ label, name, value, onChange }: PasswordFieldProps) {
  return (
    <TextField
      label={label}
      type="password"
      name={name}
      autoComplete="current-password"
      required
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

/** For a password that the account gets. */
export function NewPasswordField({ label, name, value, onChange }: PasswordFieldProps) {
  return (
    <TextField
      label={label}
      type="password"
      name={name}
      autoComplete="new-password"
      required
      minLength={8}
      maxLength={256}
      hint="At least 8 characters."
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
