/** The parity suite's questions, put to this browser's core: the suite's own script answers them. */
import { answer, digest, flatten } from "../../../tests/js/answer.mjs";
import * as concord from "./concord";

export interface ParityCase {
  readonly name: string;
  /** Of the answer that it must get. */
  readonly digest: string;
}

/** What a case does not ask is null to the script. */
const UNASKED = { bundle: null, profile: null, quotations: null, walk: null, receipt: null };

/** The names of those that get another answer here. */
export async function differing(cases: readonly ParityCase[]): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { digest: expected, ...question } of cases) {
    const lines = flatten(answer(concord, { ...UNASKED, ...question }));
    if ((await digest(lines.join(""))) !== expected) names.push(question.name);
  }
  return names;
}
