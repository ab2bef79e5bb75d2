/**
 * Runs one call at a time and, of what is asked meanwhile, only the last: a slider asks faster
 * than a frame, and what it asked in between is of no use to anyone. A call that was passed over
 * resolves to null.
 */
export function newestOnly<A, R>(run: (argument: A) => Promise<R>): (argument: A) => Promise<R | null> {
  let busy = false;
  let next: { argument: A; resolve(result: Promise<R | null> | null): void } | null = null;
  const start = async (argument: A): Promise<R> => {
    busy = true;
    try {
      return await run(argument);
    } finally {
      busy = false;
      const following = next;
      next = null;
      if (following) following.resolve(start(following.argument));
    }
  };
  return (argument) => {
    if (!busy) return start(argument);
    next?.resolve(null);
    return new Promise((resolve) => {
      next = { argument, resolve };
    });
  };
}
