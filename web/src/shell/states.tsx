/** What the page says when there is no list to show, or when something is not as it should be. */
import { useSignal } from "@preact/signals";
import type { Domain } from "../api/types";
import { sentence } from "../note/display";
import { Told } from "../note/told";
import { same } from "../profile/patch";
import { NO_SCOPES } from "../state/address";
import {
  address,
  domain,
  failure,
  go,
  loadDomains,
  offline,
  opened,
  search,
  server,
  setQuery,
  setScopes,
} from "../state/store";
import { Token } from "./token";

/** Asks again for whatever did not come. */
async function again(): Promise<void> {
  if (!server.value || offline.value) await loadDomains();
  await search();
}

/** Above everything: the server is gone, or did not take the last question. One line, and what to do. */
export function Banner() {
  const told = failure.value;
  // With nothing on the page, the page itself says so.
  if (offline.value && opened.value) {
    return (
      <div class="banner warn" role="status">
        <strong>The server is not running.</strong> Ranking goes on from what is already here; new questions
        need it.
        <button type="button" onClick={() => void again()}>
          Try again
        </button>
      </div>
    );
  }
  if (told && opened.value) {
    return (
      <div class="banner bad" role="alert">
        <strong>
          <Told message={told.message} />
        </strong>{" "}
        {told.hint ? (
          <span>
            <Told message={told.hint} />
          </span>
        ) : null}
        <button type="button" onClick={() => void again()}>
          Try again
        </button>
      </div>
    );
  }
  return null;
}

export function Welcome() {
  const now = domain.value;
  const missing = server.value && !now && address.value.domain !== null;
  if (missing) {
    return (
      <section class="state">
        <h2>There is no domain “{address.value.domain?.slice(0, 60)}” here.</h2>
        <p>Choose another above.</p>
      </section>
    );
  }
  if (now && !now.up) return <Down of={now} />;
  return (
    <section class="state">
      <h2>Ask {server.value?.vault ? <bdi>{server.value.vault}</bdi> : "the vault"}</h2>
      {now ? (
        <p>
          {now.notes.toLocaleString("en")} notes in {now.chunks.toLocaleString("en")} passages
          {now.words_only
            ? ", searched by words alone"
            : now.model
              ? `, by words and by meaning (${now.model.split(":")[0]})`
              : ""}
          .
        </p>
      ) : (
        <p class="faint">Looking for the server …</p>
      )}
      <dl class="keys">
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>to the search field</dd>
        <dt>
          <kbd>↓</kbd> <kbd>↑</kbd>
        </dt>
        <dd>through the results</dd>
        <dt>
          <kbd>↵</kbd>
        </dt>
        <dd>opens a note at the passage</dd>
        <dt>
          <kbd>Esc</kbd>
        </dt>
        <dd>goes back</dd>
      </dl>
    </section>
  );
}

/** A domain that nothing can be asked of, while others may answer. */
export function Down({ of }: { of: Domain }) {
  const still = useSignal(false);
  // Nothing is known of any domain any more.
  if (offline.value) return <Wrong />;
  const { message, hint } = of.error ?? { message: "The server could not open its index", hint: null };
  const others = server.value?.domains.some(({ up }) => up);
  return (
    <section class="state" role="alert">
      <h2>
        <bdi>{of.name}</bdi> cannot be asked now.
      </h2>
      <p>
        <Told message={message} />
      </p>
      {hint ? (
        <p>
          <Told message={hint} />
        </p>
      ) : null}
      {others ? <p>The other domains answer all the same; choose one above.</p> : null}
      <p>
        <button
          type="button"
          onClick={async () => {
            still.value = false;
            await loadDomains();
            still.value = true;
          }}
        >
          Try again
        </button>{" "}
        {still.value ? <span role="status">It is still down.</span> : null}
      </p>
    </section>
  );
}

/** Keeps the place of the rows that are to come, and of the line above them. */
export function Waiting() {
  return (
    <>
      <p class="summary" aria-hidden="true" />
      <div class="rows" role="status" aria-label="Searching">
        {[0, 1, 2, 3, 4].map((n) => (
          <div class="row ghost" key={n} aria-hidden="true">
            <span />
            <div>
              <i class="w60" />
              <i class="w40" />
              <i />
              <i class="w80" />
            </div>
          </div>
        ))}
      </div>
    </>
  );
}

export function Wrong() {
  const told = failure.value;
  if (!told) return null;
  if (told.code === "offline") {
    return (
      <section class="state" role="alert">
        <h2>The server is not running.</h2>
        <p>
          Start it with <code>concord serve</code> in the vault's folder.
        </p>
        <p>
          <button type="button" onClick={() => void again()}>
            Try again
          </button>
        </p>
      </section>
    );
  }
  if (told.code === "unauthorised") {
    return (
      <section class="state">
        <h2>This server is open to more than this machine.</h2>
        <Token to="Reading from it" onKept={() => void again()} />
      </section>
    );
  }
  return (
    <section class="state" role="alert">
      <h2>
        <Told message={told.message} />
      </h2>
      {told.hint ? (
        <p>
          <Told message={told.hint} />
        </p>
      ) : null}
      <p>
        <button type="button" onClick={() => void again()}>
          Try again
        </button>{" "}
        {address.value.preset || Object.keys(address.value.patch).length > 0 ? (
          <button type="button" class="quiet" onClick={() => go({ preset: null, patch: {} })}>
            Go back to the domain's own numbers
          </button>
        ) : null}
      </p>
      <p class="faint small">
        Error code: {told.code}
        {told.requestId ? ` · request ${told.requestId}` : ""}
      </p>
    </section>
  );
}

export function Nothing({ why, nearest, show }: { why: string | null; nearest: number; show: () => void }) {
  const scoped = !same(address.value.scopes, NO_SCOPES);
  return (
    <section class="state">
      <h2>Nothing here answers that.</h2>
      <p>
        {sentence(why ?? "No passage of this domain comes near the question.")}
        {scoped ? " Only a part of the notes was searched." : ""}
      </p>
      <p>
        {scoped ? (
          <button type="button" onClick={() => setScopes(NO_SCOPES)}>
            Search all notes
          </button>
        ) : null}{" "}
        {nearest > 0 ? (
          <button type="button" onClick={show}>
            Show the nearest {nearest} anyway
          </button>
        ) : null}{" "}
        <button type="button" class="quiet" onClick={() => setQuery("")}>
          Ask something else
        </button>
      </p>
    </section>
  );
}
