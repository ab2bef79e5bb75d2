/** The page: its frame, its views, and the keys that work everywhere. */
import { useEffect } from "preact/hooks";
import { NotePanel } from "../note/panel";
import { Controls } from "../profile/controls";
import { Results } from "../results/results";
import type { View } from "../state/address";
import { address, domain, go, here, opened, server } from "../state/store";
import { Header } from "./header";
import { focusSearch, leaveNote } from "./keys";
import { lazily } from "./lazy";
import { Scoping } from "./scoping";
import { Siblings } from "./siblings";
import { Banner, Down } from "./states";

const VIEWS = {
  graph: lazily(() => import("../graph/view")),
  compare: lazily(() => import("../why/compare")),
  citations: lazily(() => import("../cite/view")),
  recommendations: lazily(() => import("../cite/recommendations")),
  review: lazily(() => import("../tags/review")),
  rename: lazily(() => import("../tags/rename")),
  agreement: lazily(() => import("../agree/view")),
};

/** What a domain is not asked for: what was answered before, and what the gateway keeps itself. */
const WITHOUT: readonly View[] = ["agreement", "recommendations"];

/** What a tab of the browser is called by, besides the question. */
const TITLES: Record<View, string> = {
  search: "",
  graph: "Graph",
  compare: "Compare",
  citations: "Citations",
  recommendations: "Recommendations",
  review: "Review queue",
  rename: "Rename tags",
  agreement: "Agreement",
};

export function App() {
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const view = here.view.value;
  const note = here.note.value;
  const query = here.query.value;
  useEffect(() => {
    const vault = server.value?.vault;
    document.title =
      [TITLES[view], query.trim().slice(0, 80), domain.value?.name, vault && `${vault} · Concord`]
        .filter(Boolean)
        .join(" · ") || "Concord";
  }, [view, query, server.value, domain.value]);
  const Other = view === "search" ? null : VIEWS[view];
  const now = domain.value;
  const down = now && !now.up && !opened.value && !WITHOUT.includes(view) ? now : null;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the results
      </a>
      <Header />
      <Banner />
      <div class={`frame ${note ? "with-panel" : ""} ${Other ? "one" : ""}`}>
        {Other ? null : (
          <div class="side">
            <Scoping />
            <Controls />
          </div>
        )}
        <main id="main" tabIndex={-1}>
          <Siblings />
          {Other ? down ? <Down of={down} /> : <Other /> : <Results />}
        </main>
        {note ? <NotePanel /> : null}
      </div>
    </>
  );
}

function onKey(event: KeyboardEvent): void {
  const target = event.target as HTMLElement;
  const typing = target.closest("input:not([type=range], [type=checkbox]), textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    focusSearch();
  } else if (event.key === "Escape") {
    if (address.value.note) leaveNote();
    else if (address.value.view === "recommendations" && address.value.rx !== null) {
      go({ rx: null }, "push");
    } else if (!target.closest("dialog, details.drawer[open]")) focusSearch();
  }
}
