/** Asks for the token where one is needed and not there. */
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { hasToken, keepToken } from "../api/gateway";

/** `to` says what it is needed for: “Saving”. `onKept` is what to do once it is there. */
export function Token({ to, onKept }: { to: string; onKept?: (() => void) | undefined }) {
  const wrong = useSignal(false);
  const id = useId();
  if (hasToken.value) return null;
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault();
        const printed = new FormData(event.currentTarget).get("token");
        wrong.value = typeof printed !== "string" || !keepToken(printed);
        if (!wrong.value) onKept?.();
      }}
    >
      <label for={id}>
        {to} needs the token. Paste the address that <code>concord serve</code> printed:
      </label>
      <span class="pair">
        <input
          id={id}
          name="token"
          type="password"
          autocomplete="off"
          placeholder="http://127.0.0.1:…/#token=…"
          required
        />
        <button type="submit">Use it</button>
      </span>
      {wrong.value ? (
        <p class="fault" role="alert">
          There is no token in that.
        </p>
      ) : null}
    </form>
  );
}
