/** Which notes may answer: folder, tag, kind, author, dates. */
import type { Domain } from "../api/types";
import { line } from "../note/display";
import { NO_SCOPES } from "../state/address";
import { domain, here, setScopes } from "../state/store";

const CHOICES = [
  ["folder", "Folder", ({ folders }: Domain) => folders],
  ["kind", "Kind", ({ kinds }: Domain) => kinds],
  ["author", "Author", ({ authors }: Domain) => authors],
] as const;

/** A vault may have more; who looks for one of those types it into the address. */
const MOST = 1000;

export function Scoping() {
  const now = domain.value;
  const scopes = here.scopes.value;
  const tags = (now?.tags ?? []).filter(({ name }) => !scopes.tag.includes(name));
  const single = [scopes.folder, scopes.kind, scopes.author, scopes.since, scopes.before];
  const count = single.filter((value) => value !== "").length + scopes.tag.length;
  return (
    <details class="drawer scopes" open={count > 0}>
      <summary>
        Scope <span class="faint">{count === 0 ? "all notes" : `${count} set`}</span>
      </summary>
      <div class="fields">
        {CHOICES.map(([key, label, of]) => {
          const all = now ? of(now) : [];
          const chosen = scopes[key];
          return (
            <label key={key}>
              <span>{label}</span>
              <select
                value={chosen}
                disabled={all.length === 0 && chosen === ""}
                onChange={(event) => setScopes({ [key]: event.currentTarget.value })}
              >
                <option value="">{all.length === 0 ? "none" : "any"}</option>
                {chosen === "" || all.includes(chosen) ? null : (
                  <option value={chosen}>{line(chosen, 60)}</option>
                )}
                {all.slice(0, MOST).map((value) => (
                  <option key={value} value={value}>
                    {line(value, 60)}
                  </option>
                ))}
              </select>
            </label>
          );
        })}
        <label>
          <span>Tag</span>
          <select
            value=""
            disabled={tags.length === 0}
            onChange={(event) => {
              const { value } = event.currentTarget;
              if (value) setScopes({ tag: [...scopes.tag, value] });
              event.currentTarget.value = "";
            }}
          >
            <option value="">{tags.length === 0 ? "none" : scopes.tag.length > 0 ? "or …" : "any"}</option>
            {tags.slice(0, MOST).map(({ name, notes }) => (
              <option key={name} value={name}>
                {line(name, 60)} ({notes})
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>Since</span>
          <input
            type="date"
            value={scopes.since}
            onChange={(event) => setScopes({ since: event.currentTarget.value })}
          />
        </label>
        <label>
          <span>Before</span>
          <input
            type="date"
            value={scopes.before}
            onChange={(event) => setScopes({ before: event.currentTarget.value })}
          />
        </label>
      </div>
      {count > 0 ? (
        <div class="chips">
          {scopes.tag.map((tag) => (
            <button
              type="button"
              class="chip"
              key={tag}
              aria-label={`Take away the tag ${line(tag, 60)}`}
              onClick={() => setScopes({ tag: scopes.tag.filter((one) => one !== tag) })}
            >
              #<bdi>{line(tag, 40)}</bdi> <span aria-hidden="true">×</span>
            </button>
          ))}
          <button type="button" class="quiet" onClick={() => setScopes(NO_SCOPES)}>
            Search all notes
          </button>
        </div>
      ) : null}
    </details>
  );
}
