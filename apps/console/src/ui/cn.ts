// Joins class names. In: anything clsx takes. Out: one string; a later Tailwind class overrides an earlier one.
import { type ClassValue, clsx } from "clsx";
import { twMerge } from "tailwind-merge";

export function cn(...classes: ClassValue[]): string {
  return twMerge(clsx(classes));
}
