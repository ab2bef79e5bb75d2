/**
 * How a quotation differs from the text that comes nearest to it, word by word, for display. Whether
 * a quotation holds is the core's to say; this only shows an eye what it would have to look for.
 */

export interface Part {
  readonly kind: "same" | "quoted" | "there";
  readonly text: string;
}

/** Longer texts are shown whole, side by side: nobody reads such a difference word by word. */
const MOST = 600;

const words = (text: string): readonly string[] => text.split(/(\s+)/).filter((word) => word !== "");

/** What both have, what only the quotation has, and what only stands there: the longest common run. */
export function differing(quoted: string, there: string): readonly Part[] {
  const [a, b] = [words(quoted.trim()), words(there.trim())];
  if (a.length > MOST || b.length > MOST)
    return [
      { kind: "quoted", text: quoted },
      { kind: "there", text: there },
    ];
  // Length of the longest common subsequence of the ends from `i` and `j` on.
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = alike(a[i]!, b[j]!)
        ? common[(i + 1) * width + j + 1]! + 1
        : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!);
    }
  }
  const parts: { kind: Part["kind"]; text: string }[] = [];
  const put = (kind: Part["kind"], text: string) => {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else parts.push({ kind, text });
  };
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (alike(a[i]!, b[j]!)) {
      put("same", b[j]!);
      i++;
      j++;
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) put("quoted", a[i++]!);
    else put("there", b[j++]!);
  }
  while (i < a.length) put("quoted", a[i++]!);
  while (j < b.length) put("there", b[j++]!);
  return parts;
}

/** Any white space is as good as any other. */
const alike = (a: string, b: string): boolean => a === b || (/^\s/.test(a) && /^\s/.test(b));
