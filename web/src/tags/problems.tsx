/** What could not be used, each with where it stands; the rest goes on. */
import type { Problem } from "../api/order";
import { line, sentence } from "../note/display";

export function Problems({ all, of }: { all: readonly Problem[]; of: string }) {
  if (all.length === 0) return null;
  return (
    <div class="told-fault warn">
      <p>
        <b>
          {all.length === 1 ? "One thing" : `${all.length} things`} {of}
        </b>
      </p>
      <ul>
        {all.map(({ message, line: at, path }, i) => (
          <li key={i}>
            {path ? (
              <>
                <bdi>{line(path, 120)}</bdi>:{" "}
              </>
            ) : null}
            {at ? `line ${at}: ` : ""}
            {at || path ? line(message, 400) : sentence(line(message, 400))}
          </li>
        ))}
      </ul>
    </div>
  );
}
