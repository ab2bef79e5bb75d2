/** What every runtime of the parity suite answers, and the form in which answers are compared. */
declare module "*/tests/js/answer.mjs" {
  export function answer(concord: object, question: object): unknown;
  export function flatten(value: unknown): string[];
  export function digest(text: string): Promise<string>;
}
