/** Light, dark, or as the system has it. */
import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const KEY = "concord.theme";

const read = (): Theme => {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
};

export const theme = signal<Theme>(read());

export const nextTheme = (): void => {
  theme.value = theme.value === "system" ? "light" : theme.value === "light" ? "dark" : "system";
};

export function keepTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = theme.value;
    if (theme.value === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme.value);
  });
}
