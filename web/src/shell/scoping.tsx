/** Which notes may answer: folder, tag, kind, author, dates. */
import { line } from "../note/display";
import { NO_SCOPES } from "../state/address";
import { address, domain, setScopes } from "../state/store";

const LISTS = [
  {
    key: "folder",
    label: "Folder",
    of: (d: NonNullable<typeof domain.value>) => d.folders.map((name) => [name, name] as const),
  },
  {
    key: "tag",
    label: "Tag",
    of: (d: NonNullable<typeof domain.value>) =>
      d.tags.map(({ name, notes }) => [name, `${line(name, 60)} (${notes})`] as const),
  },
  {
    key: "kind",
    label: "Kind",
    of: (d: NonNullable<typeof domain.value>) => d.kinds.map((name) => [name, name] as const),
  },
  {
    key: "author",
    label: "Author",
    of: (d: NonNullable<typeof domain.value>) => d.authors.map((name) => [name, name] as const),
  },
] as const;

export function Scoping() {
  const now = domain.value;
  const { scopes } = address.value;
  const chosen = LISTS.flatMap(({ key, label }) => scopes[key].map((value) => ({ key, label, value })));
  const count = chosen.length + Number(scopes.since !== "") + Number(scopes.before !== "");
  return (
    <details class="drawer scopes" open={count > 0}>
      <summary>
        Scope <span class="faint">{count === 0 ? "all notes" : `${count} set`}</span>
      </summary>
      <div class="fields">
        {LISTS.map(({ key, label, of }) => {
          const all = now ? of(now) : [];
          const left = all.filter(([value]) => !(scopes[key] as readonly string[]).includes(value));
          return (
            <label key={key}>
              <span>{label}</span>
              <select
                value=""
                disabled={left.length === 0}
                onChange={(event) => {
                  const { value } = event.currentTarget;
                  if (value) setScopes({ [key]: [...scopes[key], value] });
                  event.currentTarget.value = "";
                }}
              >
                <option value="">{left.length === 0 ? "none" : "any"}</option>
                {left.slice(0, 500).map(([value, text]) => (
                  <option key={value} value={value}>
                    {line(text, 60)}
                  </option>
                ))}
              </select>
            </label>
          );
        })}
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
          {chosen.map(({ key, label, value }) => (
            <button
              type="button"
              class="chip"
              key={`${key} ${value}`}
              aria-label={`Take away ${label} ${line(value, 60)}`}
              onClick={() => setScopes({ [key]: scopes[key].filter((one) => one !== value) })}
            >
              <bdi>{line(value, 40)}</bdi> <span aria-hidden="true">×</span>
            </button>
          ))}
          <button type="button" class="quiet" onClick={() => setScopes(NO_SCOPES)}>
            Clear
          </button>
        </div>
      ) : null}
    </details>
  );
}
