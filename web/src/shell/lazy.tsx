/** A part of the page that is fetched when it is first shown. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

export function lazily(load: () => Promise<{ default: ComponentType }>): ComponentType {
  let loaded: ComponentType | null = null;
  return function Lazy() {
    const [Part, show] = useState<ComponentType | null>(() => loaded);
    const [failed, fail] = useState(false);
    useEffect(() => {
      if (loaded) return;
      load()
        .then((module) => {
          loaded = module.default;
          show(() => module.default);
        })
        .catch(() => fail(true));
    }, []);
    if (Part) return <Part />;
    if (failed)
      return <p class="notice">This part of the page could not be loaded; is the server running?</p>;
    return (
      <p class="faint pad" role="status">
        Loading …
      </p>
    );
  };
}
