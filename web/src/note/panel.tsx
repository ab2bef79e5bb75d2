/** A note beside the list: its text with the passage in place, why it is there, its links. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import * as gateway from "../api/gateway";
import { Failed, isAbort } from "../api/gateway";
import type { NoteAnswer } from "../api/types";
import { sentenceSpans } from "../results/excerpt";
import { indexOf } from "../results/list";
import { leaveNote, rememberOpener } from "../shell/keys";
import { TABS, type Tab } from "../state/address";
import { address, domainName, go, opened, shown } from "../state/store";
import { Why } from "../why/panel";
import { crumbs, day, line, visible } from "./display";
import { NoteLink } from "./note-link";
import type { Span } from "./offsets";
import { NoteText } from "./text";
import { Told } from "./told";

const NAMES: Record<Tab, string> = { note: "Note", why: "Why", links: "Links" };

export function NotePanel() {
  const { note: path, at, tab } = address.value;
  const domain = domainName.value;
  const loaded = useSignal<NoteAnswer | null>(null);
  const fault = useSignal<Failed | null>(null);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!path || !domain) return;
    const controller = new AbortController();
    fault.value = null;
    if (loaded.value?.path !== path) loaded.value = null;
    gateway
      .note(domain, path, controller.signal)
      .then((note) => {
        loaded.value = note;
      })
      .catch((error) => {
        if (!isAbort(error))
          fault.value = error instanceof Failed ? error : new Failed("page", String(error), null, null);
      });
    return () => controller.abort();
  }, [path, domain]);
  useEffect(rememberOpener, []);
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
  }, [path, at]);
  if (!path) return null;

  const answer = opened.value;
  const index = answer ? indexOf(answer) : null;
  const chunk =
    answer?.bundle.chunks.find((one) => one.note === path && (at === null || one.ordinal === at)) ?? null;
  const item = shown.value?.ranking.items.find((one) => one.chunk === chunk?.id) ?? null;
  const known = index?.notes.get(path);
  const note = loaded.value?.path === path ? loaded.value : null;
  const title = note?.title || known?.title || crumbs(path).at(-1) || path;
  const author = note?.author ?? known?.author;
  const date = note?.published_at ?? known?.published_at ?? note?.modified_at ?? known?.modified_at ?? null;
  const tags = note?.tags ?? known?.tags ?? [];
  const links = note ? note.links.length + note.backlinks.length : 0;
  return (
    <aside class="panel" aria-label="Note" ref={panel} tabIndex={-1}>
      <header>
        <h2>
          <bdi>{line(title)}</bdi>
        </h2>
        <button type="button" class="quiet close" onClick={leaveNote} aria-label="Close the note">
          <span aria-hidden="true">×</span>
        </button>
        <p class="meta">
          <span class="crumbs">
            {crumbs(path).map((part, i) => (
              <span key={i}>
                <bdi>{line(part, 80)}</bdi>
              </span>
            ))}
          </span>
          {author ? (
            <span>
              <bdi>{line(author, 60)}</bdi>
            </span>
          ) : null}
          {date === null ? null : <span>{day(date)}</span>}
          {note?.evergreen ? <span>evergreen</span> : null}
          {tags.length > 0 ? (
            <span class="tags">
              {tags.slice(0, 12).map((tag) => (
                <span key={tag}>
                  #<bdi>{line(tag, 40)}</bdi>
                </span>
              ))}
            </span>
          ) : null}
        </p>
        <div class="tabs" role="tablist" aria-label="Note">
          {TABS.map((name) => (
            <button
              type="button"
              role="tab"
              key={name}
              id={`tab-${name}`}
              aria-selected={tab === name}
              aria-controls="tab-panel"
              tabIndex={tab === name ? 0 : -1}
              onClick={() => go({ tab: name })}
              onKeyDown={(event) => {
                const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
                const to = TABS[(TABS.indexOf(name) + by + TABS.length) % TABS.length];
                if (by === 0 || !to) return;
                go({ tab: to });
                document.getElementById(`tab-${to}`)?.focus();
              }}
            >
              {NAMES[name]}
              {name === "links" && note ? ` ${links}` : ""}
            </button>
          ))}
        </div>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <div class="scroll" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tab === "why" ? <Why path={path} chunk={chunk} item={item} /> : null}
        {tab === "links" ? <Links note={note} /> : null}
        {tab === "note" ? (
          <>
            {fault.value ? (
              <p class="notice">
                {fault.value.code === "offline" ? (
                  "The server is not running; this is the passage as it was found."
                ) : (
                  <>
                    <Told message={fault.value.message} />{" "}
                    {fault.value.hint ? <Told message={fault.value.hint} /> : null}
                  </>
                )}
              </p>
            ) : null}
            {note ? (
              <Whole
                note={note}
                at={at ?? chunk?.ordinal ?? null}
                passage={
                  chunk ? { text: chunk.text, spans: sentenceSpans(chunk, item?.excerpt ?? []) } : null
                }
              />
            ) : chunk && fault.value ? (
              <NoteText
                key={`${path} ${at}`}
                text={chunk.text}
                passage={[0, chunk.text.length]}
                marks={sentenceSpans(chunk, item?.excerpt ?? [])}
                links={[]}
              />
            ) : fault.value ? null : (
              <div class="ghost" aria-hidden="true">
                <i />
                <i class="w80" />
                <i class="w60" />
              </div>
            )}
          </>
        ) : null}
      </div>
    </aside>
  );
}

function Whole({
  note,
  at,
  passage,
}: {
  note: NoteAnswer;
  at: number | null;
  passage: { text: string; spans: readonly Span[] } | null;
}) {
  const place = note.chunks.find(({ ordinal }) => ordinal === at);
  let start = place?.start ?? null;
  let end = place?.end ?? null;
  if (start === null && passage) {
    const found = note.text.indexOf(passage.text);
    if (found >= 0) [start, end] = [found, found + passage.text.length];
  }
  const from = start;
  // The index may be older than the note: sentences are marked only where they still stand.
  const marks =
    from === null || !passage
      ? []
      : passage.spans
          .map(([a, b]): Span => [from + a, from + b])
          .filter(
            ([a, b], i) =>
              note.text.slice(a, b) === passage.text.slice(...(passage.spans[i] as [number, number])),
          );
  return (
    <>
      {note.problems.map((problem) => (
        <p class="notice" key={problem}>
          {visible(problem)}
        </p>
      ))}
      <NoteText
        key={`${note.path} ${at}`}
        text={note.text}
        passage={start === null || end === null ? null : [start, end]}
        marks={marks}
        links={note.links}
      />
    </>
  );
}

function Links({ note }: { note: NoteAnswer | null }) {
  if (!note) return <p class="faint">Links come with the note from the server.</p>;
  const to = note.links;
  const from = note.backlinks;
  return (
    <div class="links">
      <h3>
        Links from here <span class="faint">{to.length}</span>
      </h3>
      <ul>
        {to.map(({ path, title, kind }) => (
          <li key={`${kind} ${path}`}>
            <Link path={path} title={title} />
            <span class="faint small"> {kind === "citation" ? "cited" : "associated"}</span>
          </li>
        ))}
      </ul>
      <h3>
        Links to here <span class="faint">{from.length}</span>
      </h3>
      <ul>
        {from.map(({ path, title, kind }) => (
          <li key={`${kind} ${path}`}>
            <Link path={path} title={title} />
            <span class="faint small"> {kind === "citation" ? "cites this" : "associates"}</span>
          </li>
        ))}
      </ul>
      <p>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            // Where the panel covers the page, it would cover the graph.
            const over = matchMedia("(max-width: 60rem)").matches ? { note: null, at: null } : {};
            go({ view: "graph", walk: "fast", from: note.path, ...over }, "push");
          }}
        >
          Walk along them in the graph
        </button>
      </p>
    </div>
  );
}

function Link({ path, title }: { path: string; title: string | null }) {
  return (
    <NoteLink path={path}>
      <bdi>{line(title ?? crumbs(path).join(" › "), 120)}</bdi>
    </NoteLink>
  );
}
