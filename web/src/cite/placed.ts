/** Where the quotations that were checked stand in a text. Pure. */
import type { Span } from "../note/offsets";
import { quotationsIn } from "./quotations";

/**
 * The place of each quotation, marks included where it has any; null for one that does not stand
 * there. The same words quoted twice are two places.
 */
export function placed(text: string, quotes: readonly string[]): readonly (Span | null)[] {
  const free = quotationsIn(text).map(({ quote, start, end }) => ({ quote: quote.trim(), start, end }));
  const taken: Span[] = [];
  const take = (span: Span): Span => {
    taken.push(span);
    return span;
  };
  // By their marks first, so that a phrase in passing does not take the place of the quotation.
  const found = quotes.map((quote): Span | null => {
    const at = free.findIndex((one) => one.quote === quote.trim());
    const [one] = at < 0 ? [] : free.splice(at, 1);
    return one ? take([one.start, one.end]) : null;
  });
  return found.map((span, i) => {
    const quote = quotes[i]?.trim() ?? "";
    if (span || quote === "") return span;
    for (let at = text.indexOf(quote); at >= 0; at = text.indexOf(quote, at + 1)) {
      const end = at + quote.length;
      if (taken.every(([from, to]) => end <= from || at >= to)) return take([at, end]);
    }
    return null;
  });
}
