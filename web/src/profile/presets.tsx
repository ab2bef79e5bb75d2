/** Which profile to start from, and keeping one under a name. */
import { useSignal } from "@preact/signals";
import { deleteProfile, dropToken, Failed, saveProfile } from "../api/gateway";
import { line } from "../note/display";
import { Token } from "../shell/token";
import { address, domain, domainName, go, loadProfiles, presets, profile, setPreset } from "../state/store";
import { changes } from "./patch";

export const presetLabel = (name: string, domainName: string): string =>
  name === "" ? `${domainName}'s own` : name;

export function Presets() {
  const said = useSignal<Said | null>(null);
  const naming = useSignal(false);
  const now = address.value.preset ?? "";
  const changed = changes(address.value.patch);
  const saved = presets.value.find(({ name }) => name === now);
  const here = domainName.value ?? "";

  const save = async (name: string) => {
    if (!profile.value) return;
    try {
      await saveProfile(here, name, { ...profile.value, name });
      await loadProfiles();
      go({ preset: name, patch: {} });
      naming.value = false;
      said.value = { text: `Saved as “${name}”.`, bad: false };
    } catch (error) {
      said.value = told(error);
    }
  };
  const remove = async () => {
    try {
      await deleteProfile(here, now);
      setPreset("");
      await loadProfiles();
      said.value = { text: `“${now}” is gone.`, bad: false };
    } catch (error) {
      said.value = told(error);
    }
  };

  return (
    <div class="presets">
      <label>
        <span class="hidden">Profile</span>
        <select
          value={now}
          onChange={(event) => {
            said.value = null;
            setPreset(event.currentTarget.value);
          }}
        >
          {saved ? null : <option value={now}>{line(now, 40)} (not here)</option>}
          {presets.value.map(({ name, built_in }) => (
            <option key={name} value={name}>
              {line(presetLabel(name, domain.value?.name ?? here), 40)}
              {built_in ? "" : " (saved)"}
            </option>
          ))}
        </select>
      </label>
      <span class="buttons">
        <button type="button" class="quiet" disabled={changed === 0} onClick={() => go({ patch: {} })}>
          Reset{changed > 0 ? ` ${changed}` : ""}
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            naming.value = !naming.value;
            said.value = null;
          }}
          aria-expanded={naming.value}
        >
          Save as …
        </button>
        <button
          type="button"
          class="quiet"
          onClick={async () => {
            // The address is written a moment after the last change.
            await new Promise((done) => setTimeout(done, 200));
            await navigator.clipboard.writeText(location.href).then(
              () => {
                said.value = { text: "Link copied.", bad: false };
              },
              () => {
                said.value = { text: "Copy the address from the address bar.", bad: false };
              },
            );
          }}
        >
          Copy link
        </button>
        {saved && !saved.built_in ? (
          <button type="button" class="quiet" onClick={() => void remove()}>
            Delete
          </button>
        ) : null}
      </span>
      {naming.value ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const name = new FormData(event.currentTarget).get("name");
            if (typeof name === "string" && name.trim() !== "") void save(name.trim());
          }}
        >
          <label>
            <span class="hidden">Name of the profile</span>
            <input
              name="name"
              type="text"
              required
              maxLength={60}
              pattern="[A-Za-z0-9_\-]+"
              placeholder="name"
              title="Letters, digits, - and _"
            />
          </label>
          <button type="submit">Save</button>
        </form>
      ) : null}
      {naming.value || said.value?.token ? <Token to="Saving" /> : null}
      {said.value ? (
        <p class={said.value.bad ? "fault" : "help"} role="status">
          {said.value.text}
        </p>
      ) : null}
    </div>
  );
}

interface Said {
  readonly text: string;
  readonly bad: boolean;
  readonly token?: boolean;
}

function told(error: unknown): Said {
  if (!(error instanceof Failed)) return { text: (error as Error).message, bad: true };
  if (error.code === "unauthorised") {
    dropToken();
    return { text: "The server did not take it without the token.", bad: true, token: true };
  }
  return { text: [error.message, error.hint].filter(Boolean).join(" "), bad: true };
}
