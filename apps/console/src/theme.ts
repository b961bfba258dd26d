// The theme of the console. In: the person's choice. Out: the theme of the page, and a cookie, so that the server renders the next page
// with this theme. The choice itself is stored with the person's account.
import type { Theme } from "@plinth/control/router";

export const THEME_COOKIE = "plinth.theme";

const YEAR_SECONDS = 365 * 24 * 3600;

export function themeOf(cookie: string | undefined): Theme {
  return cookie === "light" || cookie === "dark" ? cookie : "system";
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in browsers that the console serves.
  document.cookie = `${THEME_COOKIE}=${theme}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
}
