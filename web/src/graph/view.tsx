/** The notes around the answer and their links; or a walk outward from one note. As a picture and as a table. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import * as gateway from "../api/gateway";
import { asFailed, type Failed, isAbort } from "../api/gateway";
import type { TraverseAnswer } from "../api/types";
import type { GraphView } from "../core/concord";
import { ask } from "../core/ranker";
import { crumbs, line, sentence } from "../note/display";
import { NoteLink } from "../note/note-link";
import { Told } from "../note/told";
import type { Walk } from "../state/address";
import { address, domainName, go, opened, openNote, profile, shown } from "../state/store";
import { short } from "../why/words";
import { ringRadius, rings, spread } from "./layout";
import { type Dot, Picture } from "./picture";
import { walkRows } from "./walk";

const MODES: readonly (readonly [Walk | null, string])[] = [
  [null, "Around the answer"],
  ["fast", "Walk, fast"],
  ["deep", "Walk, deep"],
  ["compare", "Fast beside deep"],
];

export default function Graph() {
  const mode = address.value.walk;
  return (
    <section class="graph pad" aria-label="Graph">
      <div class="controls-line">
        <h2>Graph</h2>
        <div class="segments" role="group" aria-label="What to show">
          {MODES.map(([name, label]) => (
            <button
              type="button"
              key={label}
              aria-pressed={mode === name}
              onClick={() =>
                go({ walk: name, from: mode === null ? walkFrom() : address.value.from }, "push")
              }
            >
              {label}
            </button>
          ))}
        </div>
      </div>
      {mode === null ? <Around /> : <Walks mode={mode} />}
    </section>
  );
}

/** A walk begins at the note that is open, or else at the best one of the list. */
const walkFrom = (): string | null =>
  address.value.note ?? address.value.from ?? shown.value?.ranking.items[0]?.note ?? null;

function Around() {
  const answer = opened.value;
  const numbers = profile.value;
  const view = useSignal<GraphView | null>(null);
  const fault = useSignal<string | null>(null);
  useEffect(() => {
    fault.value = null;
    if (!answer || !numbers) return;
    let current = true;
    ask("graph", { number: answer.number, profile: numbers })
      .then((graph) => {
        if (current) view.value = graph;
      })
      .catch((error: Error) => {
        if (current) fault.value = error.message;
      });
    return () => {
      current = false;
    };
  }, [answer, JSON.stringify(numbers?.graph)]);
  if (!answer)
    return <p class="notice">Search for something first: the graph is the one around its answer.</p>;
  if (fault.value) return <p class="fault">{sentence(fault.value)}</p>;
  const graph = view.value;
  if (!graph) return <p class="faint">Measuring …</p>;
  if (graph.nodes.length === 0) return <p class="notice">No links around this answer.</p>;

  const index = new Map(graph.nodes.map(({ path }, i) => [path, i]));
  const { nodes: paths, citations, wikilinks } = answer.bundle.graph;
  const pair = ([a, b]: readonly [number, number]) =>
    [index.get(paths[a] ?? "") ?? -1, index.get(paths[b] ?? "") ?? -1] as const;
  const cites = citations.map(pair).filter(([a, b]) => a >= 0 && b >= 0 && a !== b);
  const others = wikilinks.map(pair).filter(([a, b]) => a >= 0 && b >= 0 && a !== b);
  const points = spread(
    graph.nodes.length,
    [...cites, ...others],
    graph.nodes.map(({ community }) => community),
  );
  const titles = new Map(answer.bundle.notes.map(({ path, title }) => [path, title]));
  const ranks = new Map<string, number>();
  for (const { note, rank } of shown.value?.ranking.items ?? []) if (!ranks.has(note)) ranks.set(note, rank);
  // A neighbour's title is not among the candidates' facts: its file's name, and its folder's where
  // another has the same.
  const files = graph.nodes.map(({ path }) => crumbs(path).at(-1));
  const alone = (file: string | undefined) => files.indexOf(file) === files.lastIndexOf(file);
  const name = (path: string) =>
    line(
      titles.get(path) ??
        crumbs(path)
          .slice(alone(crumbs(path).at(-1)) ? -1 : -2)
          .join(" › "),
      60,
    );
  const dots: Dot[] = graph.nodes.map(({ path, page_rank, community }, i) => ({
    id: path,
    label: name(path),
    about: `${ranks.has(path) ? `rank ${ranks.get(path)}, ` : ""}PageRank ${short(page_rank)}, community ${community + 1}`,
    ...points[i]!,
    size: 5 + 11 * Math.sqrt(page_rank),
    kind: `c${community % 8}`,
    strong: ranks.has(path),
    dashed: false,
  }));
  const { facts } = graph;
  const communities = new Set(graph.nodes.map(({ community }) => community)).size;
  return (
    <>
      <p role="status">
        {facts.nodes} notes, {facts.citations} citations, {facts.links} linked pairs, {communities}{" "}
        {communities === 1 ? "community" : "communities"}.{" "}
        <span class="faint">
          Links {facts.active ? "count" : "do not count"} in this ranking
          {facts.by_degree ? ", centrality by degree" : ""}. Size is PageRank, colour the community; ringed
          notes are in the list.
        </span>
      </p>
      <Picture dots={dots} arrows={cites} lines={others} circles={[]} onOpen={(id) => openNote(id)} />
      <Table
        columns={["Note", "Rank", "PageRank", "Centrality", "Community"]}
        rows={[...graph.nodes]
          .sort((a, b) => b.page_rank - a.page_rank || (a.path < b.path ? -1 : 1))
          .map(({ path, page_rank, centrality, community }) => ({
            path,
            cells: [
              name(path),
              ranks.get(path) ?? "–",
              page_rank.toFixed(4),
              centrality.toFixed(4),
              community + 1,
            ],
          }))}
      />
    </>
  );
}

function Walks({ mode }: { mode: Walk }) {
  const start = address.value.from ?? "";
  const depth = useSignal(4);
  const answer = useSignal<TraverseAnswer | null>(null);
  const fault = useSignal<Failed | null>(null);
  const domain = domainName.value;
  const query = address.value.query.trim();
  const { preset, patch } = address.value;
  useEffect(() => {
    fault.value = null;
    if (!domain || (start === "" && query === "")) {
      answer.value = null;
      return;
    }
    const controller = new AbortController();
    gateway
      .traverse(domain, start, { depth: depth.value, query, mode, preset, patch }, controller.signal)
      .then((walk) => {
        answer.value = walk;
      })
      .catch((error) => {
        if (!isAbort(error)) {
          fault.value = asFailed(error);
          answer.value = null;
        }
      });
    return () => controller.abort();
  }, [domain, start, depth.value, query, mode, preset, patch]);
  const notes = opened.value?.bundle.notes ?? [];
  return (
    <>
      <form class="controls-line" onSubmit={(event) => event.preventDefault()}>
        <label>
          From{" "}
          <input
            type="text"
            value={start}
            list="walk-notes"
            placeholder={query ? "the best hits" : "a title, name or path"}
            onChange={(event) => go({ from: event.currentTarget.value.trim() || null })}
          />
        </label>
        <datalist id="walk-notes">
          {notes.slice(0, 200).map(({ path, title }) => (
            <option key={path} value={line(path, 300)}>
              {line(title, 80)}
            </option>
          ))}
        </datalist>
        <label>
          Hops{" "}
          <input
            type="number"
            min={1}
            max={8}
            value={depth.value}
            onChange={(event) => {
              depth.value = Math.max(1, Math.min(8, event.currentTarget.valueAsNumber || 1));
            }}
          />
        </label>
        {start && query ? (
          <button type="button" class="quiet" onClick={() => go({ from: null })}>
            From the best hits instead
          </button>
        ) : null}
        <span class="faint">
          {query ? (
            <>
              nearness to “<bdi>{line(query, 60)}</bdi>”
            </>
          ) : start ? (
            "nearness to the note itself"
          ) : null}
        </span>
      </form>
      {fault.value ? (
        <p class="fault" role="alert">
          <Told message={fault.value.message} />{" "}
          {fault.value.hint ? <Told message={fault.value.hint} /> : null}
        </p>
      ) : null}
      {start === "" && query === "" ? (
        <p class="notice">Name a note to walk from, or ask something.</p>
      ) : null}
      <div class={mode === "compare" ? "beside" : ""}>
        {answer.value?.fast && mode !== "deep" ? (
          <OneWalk name="fast" answer={answer.value} beside={mode === "compare"} />
        ) : null}
        {answer.value?.deep && mode !== "fast" ? (
          <OneWalk name="deep" answer={answer.value} beside={mode === "compare"} />
        ) : null}
      </div>
    </>
  );
}

const ENDS = {
  good_enough: "enough was found",
  max_hops: "as far as allowed",
  exhausted: "nothing was left to follow",
};

function OneWalk({
  name,
  answer,
  beside,
}: {
  name: "fast" | "deep";
  answer: TraverseAnswer;
  beside: boolean;
}) {
  const walked = answer[name];
  if (!walked) return null;
  const { walk, embeddings_read } = walked;
  const rows = walkRows(walk);
  const points = rings(rows.map(({ hop }) => hop));
  const index = new Map(rows.map(({ path }, i) => [path, i]));
  const title = (path: string) => line(answer.titles[path] ?? crumbs(path).at(-1) ?? path, 60);
  const most = Math.max(1, ...rows.map(({ hop }) => hop));
  const dots: Dot[] = rows.map(({ path, similarity, hop, pruned, words }, i) => ({
    id: path,
    label: title(path),
    about: `hop ${hop}, similarity ${short(similarity)}, ${words}`,
    ...points[i]!,
    size: 5 + 9 * Math.max(0, similarity),
    kind: pruned ? "pruned" : `c${hop % 8}`,
    strong: hop === 0,
    dashed: pruned,
  }));
  const links = (kind: string) =>
    answer.edges
      .filter((edge) => edge[2] === kind)
      .map(([a, b]) => [index.get(a) ?? -1, index.get(b) ?? -1] as const)
      .filter(([a, b]) => a >= 0 && b >= 0);
  return (
    <div>
      {beside ? <h3>{name === "fast" ? "Fast" : "Deep"}</h3> : null}
      <p role="status">
        {walk.retained.length} kept, {walk.pruned_count} pruned
        {walk.pruned.length < walk.pruned_count ? " (not returned)" : ""}, {walk.touched} looked at in{" "}
        {walk.hops} {walk.hops === 1 ? "hop" : "hops"}, {embeddings_read} embeddings read; ended:{" "}
        {ENDS[walk.ended]}.
      </p>
      <Picture
        dots={dots}
        arrows={links("citation")}
        lines={links("wikilink")}
        circles={Array.from({ length: most }, (_, i) => ringRadius(i + 1, most))}
        onOpen={(id) => openNote(id)}
      />
      <Table
        columns={["Note", "Hop", "Similarity", "Age", "Why"]}
        rows={rows.map(({ path, hop, similarity, decay, words }) => ({
          path,
          cells: [title(path), hop, similarity.toFixed(3), decay === null ? "–" : short(decay), words],
        }))}
      />
    </div>
  );
}

function Table({
  columns,
  rows,
}: {
  columns: readonly string[];
  rows: readonly { path: string; cells: readonly (string | number)[] }[];
}) {
  return (
    <details class="as-table" open>
      <summary>As a table</summary>
      <table>
        <thead>
          <tr>
            {columns.map((column, i) => (
              <th scope="col" key={column} class={i > 0 && i < 4 ? "number" : ""}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, 300).map(({ path, cells }) => (
            <tr key={path}>
              {cells.map((cell, i) => (
                <td key={i} class={i > 0 && i < 4 ? "number" : ""}>
                  {i === 0 ? (
                    <NoteLink path={path}>
                      <bdi>{cell}</bdi>
                    </NoteLink>
                  ) : (
                    cell
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
