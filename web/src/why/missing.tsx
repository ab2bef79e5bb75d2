/** "Why is this note not here?" for a note that the user names. */
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { candidates, Failed } from "../api/gateway";
import type { Bundle } from "../core/concord";
import { line, sentence } from "../note/display";
import { address, domainName, opened, shown } from "../state/store";
import { absence } from "./absence";

export function Missing() {
  const said = useSignal<string | null>(null);
  const busy = useSignal(false);
  const words = useRef<HTMLParagraphElement>(null);
  // What was said holds for the list that it was said of.
  useSignalEffect(() => {
    if (shown.value) said.value = null;
  });
  // It stands at the end of the page, and may begin below the screen.
  useEffect(() => {
    if (said.value) words.current?.scrollIntoView({ block: "nearest" });
  }, [said.value]);
  const notes = opened.value?.bundle.notes ?? [];

  const explain = async (name: string) => {
    const answer = opened.value;
    const now = shown.value;
    if (!answer || !now) return;
    busy.value = true;
    try {
      const fromHere = absence(name, answer.bundle, now.ranking, now.profile, null);
      if (fromHere !== null) {
        said.value = fromHere;
        return;
      }
      const { preset, patch } = address.value;
      const question = {
        domain: domainName.value ?? "",
        query: answer.answer.query,
        scopes: address.value.scopes,
        preset,
        patch,
      };
      let alone: Bundle | null = null;
      for (const file of name.toLowerCase().endsWith(".md") ? [name] : [`${name}.md`, name]) {
        alone = await candidates(question, file);
        if (alone.chunks.length > 0) break;
      }
      said.value = absence(name, answer.bundle, now.ranking, now.profile, alone) ?? "No such note was found.";
    } catch (error) {
      said.value =
        error instanceof Failed && error.code === "offline"
          ? "It was not among the candidates. The server would have to be asked why, and it is not running."
          : sentence((error as Error).message);
    } finally {
      busy.value = false;
    }
  };

  return (
    <form
      class="absent"
      onSubmit={(event) => {
        event.preventDefault();
        const name = new FormData(event.currentTarget).get("note");
        if (typeof name === "string" && name.trim()) void explain(name.trim());
      }}
    >
      <label for="missing">Why is a note not here?</label>
      <span class="pair">
        <input
          id="missing"
          name="note"
          type="text"
          list="missing-notes"
          placeholder="its path or title"
          autocomplete="off"
          required
        />
        <button type="submit" disabled={busy.value}>
          Explain
        </button>
      </span>
      <datalist id="missing-notes">
        {notes.slice(0, 200).map(({ path, title }) => (
          <option key={path} value={line(path, 200)}>
            {line(title, 80)}
          </option>
        ))}
      </datalist>
      <p class="said" role="status" ref={words}>
        {said.value}
      </p>
    </form>
  );
}
