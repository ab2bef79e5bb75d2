/** Which vault, which domain, what is asked, and which view. */
import { Mark } from "../agree/mark";
import { line } from "../note/display";
import type { View } from "../state/address";
import { domainName, here, searching, server, setDomain, setQuery, setView } from "../state/store";
import { nextTheme, theme } from "../state/theme";
import { step } from "./keys";

/**
 * What stands in the bar, and the views behind each; within one, `Siblings` leads from view to view.
 * Agreement is a state of the answer, so its mark leads there.
 */
const NAMES: readonly (readonly [name: string, views: readonly [View, ...View[]]])[] = [
  ["Search", ["search"]],
  ["Graph", ["graph"]],
  ["Compare", ["compare"]],
  ["Citations", ["citations", "recommendations"]],
  ["Tags", ["review", "rename"]],
];

export function Header() {
  return (
    <header class="top">
      <div class="brand">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <rect width="32" height="32" rx="7" />
          <path d="M8 11h9M8 16h13M8 21h6" />
          <path class="tick" d="M19 22l2.5 2.5L26 19" />
        </svg>
        <h1>Concord</h1>
      </div>
      <Domains />
      <Search />
      <nav aria-label="Views">
        {NAMES.map(([name, views]) => (
          <button
            type="button"
            key={name}
            data-name={name}
            aria-current={views.includes(here.view.value) ? "page" : undefined}
            onClick={() => setView(views[0])}
          >
            {name}
          </button>
        ))}
      </nav>
      <div class="marks">
        <Mark />
        <button
          type="button"
          class="quiet"
          onClick={nextTheme}
          title={`Colours: ${theme.value}`}
          aria-label={`Colours: ${theme.value}. Change`}
        >
          <span aria-hidden="true">{theme.value === "light" ? "☀" : theme.value === "dark" ? "☾" : "◐"}</span>
        </button>
      </div>
    </header>
  );
}

function Domains() {
  const all = server.value?.domains ?? [];
  const name = domainName.value ?? "";
  return (
    <label class="domain">
      <span class="hidden">Domain</span>
      <select
        value={name}
        onChange={(event) => setDomain(event.currentTarget.value)}
        disabled={all.length === 0}
      >
        {all.some((one) => one.name === name) ? null : <option value={name}>{line(name, 40) || "…"}</option>}
        {all.map((one) => (
          <option key={one.name} value={one.name}>
            {line(one.name, 40)}
            {one.up ? "" : " (down)"}
          </option>
        ))}
      </select>
    </label>
  );
}

function Search() {
  return (
    <search class="ask">
      <label class="hidden" for="q">
        Ask the vault
      </label>
      <input
        id="q"
        type="search"
        placeholder="Ask a question, or type words"
        autocomplete="off"
        spellcheck={false}
        maxLength={1000}
        value={here.query.value}
        aria-describedby="keys"
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") step(event);
          if (event.key === "Enter") {
            if (here.view.value !== "search") setView("search");
            // While the answer is under way, or where none came, the rows are another question's.
            else if (!searching.value)
              document.querySelector<HTMLElement>("section:not(.stale) > .rows .title")?.click();
          }
          // The browser would clear the field; leaving it as it is loses nothing.
          if (event.key === "Escape") event.preventDefault();
        }}
      />
      <span id="keys" class="hint" aria-hidden="true">
        <kbd>/</kbd> <kbd>↓</kbd> <kbd>↵</kbd>
      </span>
      <span class={`busy ${searching.value ? "on" : ""}`} aria-hidden="true" />
    </search>
  );
}
