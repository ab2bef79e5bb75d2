/** Keeps the place of cards that are to come. */
export function Ghosts() {
  return (
    <div role="status" aria-label="Loading" class="cards">
      {[0, 1, 2].map((n) => (
        <div class="card ghost" key={n} aria-hidden="true">
          <i class="w40" />
          <i class="w60" />
        </div>
      ))}
    </div>
  );
}
